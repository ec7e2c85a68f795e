import { describe, expect, it } from '@jest/globals';

import { billionths, isWhole } from './quantity.ts';

const NANO = 10n ** 9n;

describe('billionths and isWhole', () => {
  it.each<[string, bigint | undefined]>([
    ['1', NANO],
    ['+1.5', 1_500_000_000n],
    ['.5', 500_000_000n],
    ['5.', 5n * NANO],
    ['500m', 500_000_000n],
    ['1u', 1000n],
    ['1n', 1n],
    ['0.1n', 1n],
    ['1k', 1000n * NANO],
    ['1Ki', 1024n * NANO],
    ['1.5Gi', 1_610_612_736n * NANO],
    ['1E', 10n ** 18n * NANO],
    ['1e3', 1000n * NANO],
    ['1E-3', 1_000_000n],
    ['-1', -NANO],
    ['', undefined],
    ['.', undefined],
    ['1 Gi', undefined],
    ['1GB', undefined],
  ])('converts quantity "%s" to billionths, or returns undefined', (quantity, expected) => {
    expect(billionths(quantity)).toBe(expected);
  });

  it('recognizes whole numbers in any unit', () => {
    expect(['1', '1000m', '1Ki', '1e3'].map((text) => isWhole(billionths(text) ?? 1n))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(isWhole(billionths('1500m') ?? 0n)).toBe(false);
  });
});
