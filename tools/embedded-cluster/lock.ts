import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { digest } from './paths.ts';

/** A lock as an abstract Unix socket, which the kernel releases when its holder exits for any reason. */
export interface Lock {
  release(): void;
}

/** Acquires the lock of that name, or returns undefined if another process holds it. */
export async function tryLock(name: string): Promise<Lock | undefined> {
  const server: Server = createServer((socket) => socket.destroy());
  const held = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(`\0karmada-embedded:${digest(name)}`, () => resolve(true));
  });
  if (!held) return undefined;
  server.unref();
  return { release: () => void server.close() };
}

/** Waits for the lock of that name. Calls `waiting` once if another process holds it. */
export async function lock(name: string, waiting: () => void): Promise<Lock> {
  for (let announced = false; ; announced = true) {
    const held = await tryLock(name);
    if (held !== undefined) return held;
    if (!announced) waiting();
    await delay(300);
  }
}
