import { expect, it } from '@jest/globals';
import { differing } from './compare-states.ts';

it('returns the objects that differ or that only one state has', () => {
  const common = { 'Secret a/x': { data: 1 } };
  const actual = { host: { ...common, 'Secret a/y': 1, 'Secret a/z': 1 }, inside: {} };
  const expected = { host: { ...common, 'Secret a/y': 2 }, inside: { 'Role b/x': 1 } };
  expect(differing(actual, expected)).toEqual([
    { host: { 'Secret a/y': 1, 'Secret a/z': 1 }, inside: {} },
    { host: { 'Secret a/y': 2 }, inside: { 'Role b/x': 1 } },
  ]);
  expect(differing(actual, actual)).toEqual([
    { host: {}, inside: {} },
    { host: {}, inside: {} },
  ]);
});
