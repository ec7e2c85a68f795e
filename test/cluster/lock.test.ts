import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { lock, tryLock } from './lock.ts';

const nameOf = (test: string): string => `${test}:${String(process.pid)}`;

describe('locks', () => {
  it('one holder at a time, and the next gets it when it is released', async () => {
    const name = nameOf('two');
    const first = await tryLock(name);
    expect(first).toBeDefined();
    expect(await tryLock(name)).toBeUndefined();
    let told = 0;
    const { promise: waits, resolve } = Promise.withResolvers<void>();
    const second = lock(name, () => {
      told++;
      resolve();
    });
    await waits;
    first?.release();
    (await second).release();
    expect(told).toBe(1);
  });

  it('locks of other names are free', async () => {
    const one = await tryLock(nameOf('one'));
    const other = await tryLock(nameOf('other'));
    expect([one, other]).not.toContain(undefined);
    one?.release();
    other?.release();
  });

  it('a holder that is killed leaves it free', async () => {
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
