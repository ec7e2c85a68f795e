import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nearest } from './nearest.ts';

const NAMES = ['karmadaAPIServer', 'karmadaAggregatedAPIServer', 'replicas', 'version', 'key'];

it.each([
  ['karmadaApiServer', 'karmadaAPIServer'],
  ['karmadaapiserver', 'karmadaAPIServer'],
  ['repilcas', 'replicas'],
  ['replica', 'replicas'],
  ['versoin', 'version'],
  ['kye', undefined],
  ['keys', 'key'],
  ['storage', undefined],
  ['', undefined],
])('nearest of %j is %j', (name, expected) => {
  expect(nearest(name, NAMES)).toBe(expected);
});

it('nearest returns one of the names, and a name itself', () => {
  const names = fc.uniqueArray(fc.string(), { selector: (name) => name.toLowerCase() });
  fc.assert(
    fc.property(names, fc.string(), (candidates, name) => {
      expect([...candidates, undefined]).toContain(nearest(name, candidates));
      for (const one of candidates) expect(nearest(one, candidates)).toBe(one);
    }),
  );
});
