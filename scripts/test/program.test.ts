import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { forwardSignals } from './program.ts';

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('forwards %s to a process', async (name) => {
  const count = process.listenerCount(name);
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1000)']);
  const closed = once(child, 'close');
  const end = forwardSignals(child);
  process.emit(name, name);
  expect(await closed).toEqual([null, name]);
  end();
  expect(process.listenerCount(name)).toBe(count);
});
