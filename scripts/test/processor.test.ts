import { describe, expect, it } from '@jest/globals';
import { idleShare, parseProcessor } from './processor.ts';

const sample = (at: number, idle: number, total: number) => ({ at, idle, total });

describe('idle share of the CPUs', () => {
  it('reads the first line of /proc/stat without guest time', () => {
    const text = 'cpu  10 1 5 70 10 1 2 1 99 99\ncpu0 1 1 1 1 1 1 1 1 1 1\n';
    expect(parseProcessor(text, 7)).toEqual({ at: 7, idle: 80, total: 100 });
  });

  const samples = [sample(0, 0, 0), sample(1000, 50, 200), sample(2000, 50, 400)];
  it.each([
    ['a whole second', 0, 1000, 0.25],
    ['times between samples', 300, 1700, 0.125],
    ['times outside of the samples', -5, 9000, 0.125],
    ['an empty interval', 0, 0, undefined],
  ])('returns the idle share of %s', (_, from, to, expected) => {
    expect(idleShare(samples, from, to)).toBe(expected);
  });

  it('returns undefined without samples', () => {
    expect(idleShare([], 0, 1)).toBeUndefined();
  });
});
