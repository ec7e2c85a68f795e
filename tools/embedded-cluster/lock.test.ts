import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { lock, tryLock } from './lock.ts';

const nameOf = (test: string): string => `${test}:${String(process.pid)}`;

// Only Linux has abstract sockets, and clusters.
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('locks', () => {
  it('gives the lock to the next process when the holder releases it', async () => {
    const name = nameOf('two');
    const first = await tryLock(name);
    expect(first).toBeDefined();
    expect(await tryLock(name)).toBeUndefined();
    let calls = 0;
    const { promise: waits, resolve } = Promise.withResolvers<void>();
    const second = lock(name, () => {
      calls++;
      resolve();
    });
    await waits;
    first?.release();
    (await second).release();
    expect(calls).toBe(1);
  });

  it('acquires two locks at the same time when their names differ', async () => {
    const one = await tryLock(nameOf('one'));
    const other = await tryLock(nameOf('other'));
    expect([one, other]).not.toContain(undefined);
    one?.release();
    other?.release();
  });

  it('releases the lock when its holder is killed', async () => {
    const name = nameOf('killed');
    const script = `
      import { tryLock } from ${JSON.stringify(new URL('lock.ts', import.meta.url).href)};
      const held = await tryLock(${JSON.stringify(name)});
      process.stdout.write(held === undefined ? 'taken' : 'held');
      process.stdin.resume();`;
    const flags = [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '--eval',
      script,
    ];
    const child = spawn(process.execPath, flags, { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    try {
      const [said] = (await once(child.stdout, 'data')) as [Buffer];
      expect(said.toString()).toBe('held');
      expect(await tryLock(name)).toBeUndefined();
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
    const held = await lock(name, () => undefined);
    held.release();
  });
});
