import { describe, expect, it } from '@jest/globals';
import { parseTime } from './time.ts';

const TIME = '2026-01-01T00:00:00Z';
const MS = Date.UTC(2026, 0, 1);

describe('parseTime', () => {
  it.each<[string, unknown, number]>([
    ['a time', TIME, MS],
    ['a time with a fraction and an offset', '2026-01-01T02:00:00.000000+02:00', MS],
    ['the zero time of Go', '0001-01-01T00:00:00Z', -62_135_596_800_000],
    ['the last time', '9999-12-31T23:59:59.999Z', Date.UTC(10_000, 0) - 1],
    ['no time for a year with more digits', '+010000-01-01T00:00:00Z', NaN],
    ['no time for the last time of JavaScript', '+275760-09-13T00:00:00.000Z', NaN],
    ['no time for the first time of JavaScript', '-271821-04-20T00:00:00.000Z', NaN],
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
