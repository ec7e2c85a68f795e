import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** TCP proxy in front of the API server that simulates failures. */
export interface Proxy {
  readonly port: number;
  readonly url: string;
  /** Number of accepted connections. */
  accepted(): number;
  /** Resets all open connections; new ones work. */
  cut(): void;
  /** Open connections carry no data any more in either direction, and stay open; new ones work. */
  silence(): void;
  /** Resets all connections until `resume`. */
  block(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function startProxy(targetPort: number): Promise<Proxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let accepted = 0;
  let blocked = false;
  const server = createServer((incoming) => {
    if (blocked) return void incoming.resetAndDestroy();
    accepted += 1;
    const outgoing = connect(targetPort, '127.0.0.1');
    const pair = [incoming, outgoing] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      incoming.destroy();
      outgoing.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    incoming.pipe(outgoing);
    outgoing.pipe(incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const all = (action: (socket: Socket) => void): void => {
    for (const pair of [...pairs]) for (const socket of pair) action(socket);
  };
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    accepted: () => accepted,
    cut: () => all((socket) => socket.resetAndDestroy()),
    silence: () => all((socket) => socket.unpipe().pause()),
    block: () => {
      blocked = true;
      all((socket) => socket.resetAndDestroy());
    },
    resume: () => {
      blocked = false;
    },
    close: async () => {
      server.close();
      all((socket) => socket.destroy());
      await once(server, 'close');
    },
  };
}
