/** A port that drops connection attempts, like a firewall with DROP rules: they neither open nor fail. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

export interface BlackHole {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Source of a thread that listens and then sleeps forever, so that it accepts no connection. When the accept queue is
 * full, the kernel drops further connection attempts.
 */
const THREAD = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const server = createServer();
server.listen({ host: '127.0.0.1', port: workerData, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
});`;

/** Linux queues one connection more than the backlog. */
const FILLING = 2;

/** @param wanted port, which must be free; 0 for any free port */
export async function startBlackHole(wanted = 0): Promise<BlackHole> {
  const thread = new Worker(THREAD, { eval: true, workerData: wanted });
  const [port] = (await once(thread, 'message')) as [number];
  const fillers: Socket[] = [];
  for (let filled = 0; filled < FILLING; filled += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    fillers.push(socket);
    await once(socket, 'connect');
  }
  return {
    port,
    async close() {
      for (const socket of fillers) socket.destroy();
      await thread.terminate();
    },
  };
}
