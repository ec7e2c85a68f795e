import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { digest } from './paths.ts';

/** A lock that the kernel frees when its holder ends, however it ends: an abstract Unix socket. */
export interface Lock {
  release(): void;
}

/** Takes the lock of that name, or returns undefined when another process holds it. */
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

/** Waits for the lock of that name; `waiting` is called once when another process holds it. */
export async function lock(name: string, waiting: () => void): Promise<Lock> {
  for (let told = false; ; told = true) {
    const held = await tryLock(name);
    if (held !== undefined) return held;
    if (!told) waiting();
    await delay(300);
  }
}
