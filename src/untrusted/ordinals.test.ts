import { expect, it } from '@jest/globals';
import { ordinalsBelow } from './ordinals.ts';

it.each([
  [3, 3],
  [0, 0],
  [-1, 0],
  [2.5, 2],
  [NaN, 0],
  [1e15, 1_000],
  [Infinity, 1_000],
])('ordinalsBelow(%d) returns %d numbers', (count, length) => {
  expect(ordinalsBelow(count)).toHaveLength(length);
});
