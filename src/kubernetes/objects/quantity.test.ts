import { describe, expect, it } from '@jest/globals';
import { isWhole, parseQuantity } from './quantity.ts';

const NANO = 10n ** 9n;

describe('parseQuantity', () => {
  it.each<[unknown, unknown]>([
    ['1', 1],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1e3', '1k'],
    ['1E3', '1000'],
    ['1Ki', 1024],
    ['1.5Gi', '1536Mi'],
    ['100n', '0.1u'],
    ['-1', '-1000m'],
    ['0', '0Gi'],
    ['0.0000000001', '1n'],
  ])('returns equal values for %s and %s', (a, b) => {
    expect(parseQuantity(a)).toBeDefined();
    expect(parseQuantity(a)).toBe(parseQuantity(b));
  });

  it.each<[unknown]>([
    ['x'],
    [''],
    ['.'],
    ['1KB'],
    [undefined],
    [{}],
    ['1 Gi'],
    ['0x10'],
    [['1']],
    ['1'.repeat(65)],
  ])('returns undefined for %s', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });
});

describe('parseQuantity and isWhole', () => {
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
    expect(parseQuantity(quantity)).toBe(expected);
  });

  it('recognizes whole numbers in any unit', () => {
    expect(['1', '1000m', '1Ki', '1e3'].map((text) => isWhole(parseQuantity(text) ?? 1n))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(isWhole(parseQuantity('1500m') ?? 0n)).toBe(false);
  });
});
