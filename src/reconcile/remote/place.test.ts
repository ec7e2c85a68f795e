import { describe, expect, it } from '@jest/globals';
import { ABANDON_HOST_ANNOTATION } from '../../api/karmada.ts';
import { karmadaOf } from '../__fixtures__/instance.ts';
import { isOther } from './place.ts';

interface Case {
  noted?: string;
  found?: string;
  abandon?: string;
  expected: boolean;
}

describe('a Secret that leads to another cluster than before', () => {
  const changed = { noted: 'one', found: 'two' };

  it.each<[string, Case]>([
    ['the same cluster', { noted: 'one', found: 'one', expected: false }],
    ['another one', { ...changed, expected: true }],
    ['another one, and the former is given up', { ...changed, abandon: 'one', expected: false }],
    ['another one, and a third was given up', { ...changed, abandon: 'three', expected: true }],
    ['another one, and the annotation is true', { ...changed, abandon: 'true', expected: true }],
    ['the first one', { found: 'one', expected: false }],
    ['one that does not tell which it is', { noted: 'one', expected: false }],
  ])('%s', (_, { noted, found, abandon, expected }) => {
    const { metadata, ...rest } = karmadaOf();
    const annotations: Record<string, string> = {};
    if (abandon !== undefined) annotations[ABANDON_HOST_ANNOTATION] = abandon;
    const status = noted === undefined ? {} : { hostUID: noted };
    const karmada = { ...rest, metadata: { ...metadata, annotations }, status };
    expect(isOther(karmada, found)).toBe(expected);
  });
});
