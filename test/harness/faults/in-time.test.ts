import { expect, it } from '@jest/globals';
import { isInTime, mostLate } from './in-time.ts';

it.each<[string, number, number, number]>([
  ['a sample', 2, 76, 0],
  ['a selection of nearly all faults', 75, 76, 0],
  ['a complete run of 60 faults', 60, 60, 2],
  ['a complete run of 76 faults', 76, 76, 2],
  ['a complete run of 90 faults', 90, 90, 3],
])('mostLate allows late faults only in a complete run: %s', (_, chosen, all, expected) => {
  expect(mostLate(chosen, all)).toBe(expected);
});

it.each<[number | undefined, boolean]>([
  [30_000, true],
  [30_001, false],
  [undefined, false],
])('isInTime decides for %j milliseconds', (namedAfterMs, expected) => {
  expect(isInTime(namedAfterMs)).toBe(expected);
});
