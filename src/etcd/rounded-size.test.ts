import { expect, it } from '@jest/globals';
import { roundedSize } from './rounded-size.ts';

const MIB = 1_048_576;

it.each([
  [0, '0Mi'],
  [40_960, '8Mi'],
  [8 * MIB, '8Mi'],
  [8 * MIB + 1, '16Mi'],
  [100 * MIB, '104Mi'],
  [129 * MIB, '144Mi'],
  [2_000 * MIB, '2048Mi'],
])('rounds %d bytes up to %s', (bytes, rounded) => {
  expect(roundedSize(String(bytes))).toBe(rounded);
});
