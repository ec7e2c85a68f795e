import { describe, expect, it } from '@jest/globals';
import { parseTime } from './time.ts';

const TIME = '2026-01-01T00:00:00Z';
const MS = Date.UTC(2026, 0, 1);

describe('parseTime', () => {
  it.each<[string, unknown, number]>([
    ['a time', TIME, MS],
    ['a time with a fraction and an offset', '2026-01-01T02:00:00.000000+02:00', MS],
    ['no time for another text', 'yesterday', NaN],
    ['no time for an empty text', '', NaN],
    ['no time for a long text', `1 Jan 2020 ${'(a) '.repeat(300)}`, NaN],
    ['no time for nothing', undefined, NaN],
    ['no time for null', null, NaN],
    ['no time for a number', 2_026, NaN],
  ])('returns %s', (_, value, expected) => {
    expect(parseTime(value)).toBe(expected);
  });
});
