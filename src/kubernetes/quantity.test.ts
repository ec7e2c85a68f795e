import { describe, expect, it } from '@jest/globals';
import { parseQuantity } from './quantity.ts';

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
