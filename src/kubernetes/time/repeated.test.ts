import { describe, expect, it } from '@jest/globals';
import { systemClock } from './clock.ts';
import { repeated } from './repeated.ts';

const passing = new Error('passing');
const lasting = new Error('lasting');

/** Attempts that end one after the other with these errors, and then succeed. */
function attempts(errors: readonly Error[]) {
  const left = [...errors];
  const ending = new AbortController();
  const attempt = (): Promise<string> => {
    const error = left.shift();
    return error === undefined ? Promise.resolve('done') : Promise.reject(error);
  };
  const repetition = { clock: systemClock, signal: ending.signal, pauseMs: 0 };
  return { left, ending, run: () => repeated(attempt, (error) => error === passing, repetition) };
}

describe('repeated', () => {
  it('attempts again after errors that pass', async () => {
    expect(await attempts([passing, passing]).run()).toBe('done');
  });

  it('ends with the first other error', async () => {
    const { run, left } = attempts([passing, lasting, passing]);
    await expect(run()).rejects.toBe(lasting);
    expect(left).toEqual([passing]);
  });

  it('attempts nothing again after the end', async () => {
    const { run, ending, left } = attempts([passing, passing]);
    ending.abort();
    await expect(run()).rejects.toBe(passing);
    expect(left).toEqual([passing]);
  });
});
