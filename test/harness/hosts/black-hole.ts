/** A port at which connections neither open nor are refused, as behind a firewall that drops everything. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

export interface BlackHole {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Listens in a thread that then sleeps for good: nobody accepts, and when the kernel's queue is full it drops what else
 * would open a connection.
 */
const THREAD = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const server = createServer();
server.listen({ host: '127.0.0.1', port: workerData, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
});`;

/** A queue for one holds two. */
const FILLING = 2;

/** @param wanted port to take, which must be free; 0 for any */
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
