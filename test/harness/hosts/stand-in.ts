/**
 * API server of a host cluster for tests. It forwards calls to a real API server, fails in several modes, and
 * recovers.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import type { Call } from '../fault-proxy/calls.ts';
import type { Decision } from '../fault-proxy/faults.ts';
import { createProxy, keptConnections, type Upstream } from '../fault-proxy/proxy.ts';
import { startBlackHole, type BlackHole } from './black-hole.ts';

/**
 * - well: responds like the API server behind it
 * - mute: accepts connections and sends nothing, also on open connections
 * - cutting: accepts connections and resets them
 * - refusing: does not listen
 * - hole: connection attempts neither open nor fail, and open connections carry nothing
 */
export type Mode = 'well' | 'mute' | 'cutting' | 'refusing' | 'hole';

export interface HostStandIn {
  readonly url: string;
  /** Calls for which `which` is true get no response; all other calls do. */
  hold(which: (call: Call) => boolean): void;
  /** Calls without a response since the last `hold`. */
  held(): readonly string[];
  turn(mode: Mode): Promise<void>;
  /** Number of open client connections. */
  open(): number;
  close(): Promise<void>;
}

/** @param tls serving certificate; its SANs must include 127.0.0.1 */
export async function startStandIn(tls: Pair, upstream: Upstream): Promise<HostStandIn> {
  let holds: (call: Call) => boolean = () => false;
  const held: string[] = [];
  const decide = (call: Call): Decision => {
    if (!holds(call)) return { ...call, occurrence: 1 };
    held.push(call.what);
    return { ...call, occurrence: 1, fault: 'timeout' };
  };
  const agent = keptConnections();
  const calls = createProxy({
    place: 'host',
    namespace: '-',
    tls,
    delayMs: 0,
    report: () => undefined,
    upstreamOf: () => ({ ...upstream, agent }),
    decide,
  });
  calls.listen(0, '127.0.0.1');
  await once(calls, 'listening');
  const door = new Door((calls.address() as AddressInfo).port);
  await door.turn('well');
  return {
    url: `https://127.0.0.1:${String(door.port)}`,
    hold(which) {
      holds = which;
      held.length = 0;
    },
    held: () => held,
    turn: (mode) => door.turn(mode),
    open: () => door.open,
    async close() {
      await door.turn('refusing');
      calls.close();
      agent.destroy();
    },
  };
}

/** Port of a stand-in, and how it treats connections. */
class Door {
  port = 0;
  readonly #target: number;
  /** Client connections with their upstream connections. */
  readonly #sockets = new Map<Socket, Socket | undefined>();
  #mode: Mode = 'refusing';
  #server: Server | undefined;
  #hole: BlackHole | undefined;

  constructor(target: number) {
    this.#target = target;
  }

  get open(): number {
    return this.#sockets.size;
  }

  async turn(mode: Mode): Promise<void> {
    this.#mode = mode;
    const silent = mode === 'mute' || mode === 'hole';
    for (const [socket, inner] of this.#sockets)
      if (silent) silence(socket, inner);
      else socket.resetAndDestroy();
    await this.#hole?.close();
    this.#hole = undefined;
    if (mode === 'hole' || mode === 'refusing') await this.#leave();
    else await this.#listen();
    if (mode === 'hole') this.#hole = await startBlackHole(this.port);
  }

  async #listen(): Promise<void> {
    if (this.#server !== undefined) return;
    this.#server = createServer((socket) => this.#take(socket));
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    ({ port: this.port } = this.#server.address() as AddressInfo);
  }

  /** Frees the port immediately. Open connections stay open, so `close` does not wait for them. */
  async #leave(): Promise<void> {
    this.#server?.close();
    this.#server = undefined;
    await new Promise((resolve) => setImmediate(resolve));
  }

  #take(socket: Socket): void {
    if (this.#mode === 'cutting') return void socket.resetAndDestroy();
    this.#sockets.set(socket, undefined);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    if (this.#mode === 'well') this.#passOn(socket);
    else silence(socket);
  }

  #passOn(socket: Socket): void {
    const inner = connect(this.#target, '127.0.0.1');
    this.#sockets.set(socket, inner);
    inner.on('error', () => undefined).on('close', () => socket.destroy());
    socket.on('close', () => inner.destroy());
    socket.pipe(inner);
    inner.pipe(socket);
  }
}

/** Reads and drops all data. Only a reading socket notices that its peer has closed the connection. */
function silence(...sockets: readonly (Socket | undefined)[]): void {
  for (const socket of sockets) socket?.unpipe().resume();
}
