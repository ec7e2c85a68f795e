import { describe, expect, it } from '@jest/globals';
import { percentile, report, type Phase } from './report.ts';

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it.each([
    [hundred, 0.5, 50],
    [hundred, 0.99, 99],
    [hundred, 1, 100],
    [[7], 0.99, 7],
    [[3, 1], 0.5, 1],
  ])('returns an existing value in case %#', (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected);
  });

  it('throws an error when there are no values', () => {
    expect(() => percentile([], 0.5)).toThrow('no values');
  });
});

describe('report', () => {
  const phase = (state: Phase['state'], round: number, ms: number): Phase => ({
    state,
    round,
    passes: [ms],
    returns: [2 * ms],
  });

  it('compares the phases of each round without the warm-up round', () => {
    const phases = [
      phase('well', 0, 900),
      phase('dead', 0, 900),
      phase('well', 1, 10),
      phase('dead', 1, 20),
      phase('dead', 2, 10),
      phase('well', 2, 20),
      phase('well', 3, 10),
      phase('dead', 3, 11),
    ];
    const text = report(phases);
    expect(text).toContain(
      '| reconcile, p50 | 10.0 (10.0–20.0) | 11.0 (10.0–20.0) | 1.10 (0.50–2.00) |',
    );
    expect(text).toContain(
      'All 3 rounds together (lowest–highest of a round); 3 and 3 reconciles.',
    );
  });
});
