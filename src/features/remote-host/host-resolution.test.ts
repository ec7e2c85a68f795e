import { describe, expect, it } from '@jest/globals';
import { ABANDON_HOST_ANNOTATION } from '../../api/karmada.ts';
import { karmadaOf } from '../../instance/__fixtures__/instance.ts';
import { isDifferentHostCluster } from './host-resolution.ts';

interface Case {
  noted?: string;
  found?: string;
  abandon?: string;
  expected: boolean;
}

describe('isDifferentHostCluster', () => {
  const changed = { noted: 'one', found: 'two' };

  it.each<[string, Case]>([
    ['false for the same cluster', { noted: 'one', found: 'one', expected: false }],
    ['true for another cluster', { ...changed, expected: true }],
    [
      'false for another cluster when the former one is abandoned',
      { ...changed, abandon: 'one', expected: false },
    ],
    [
      'true for another cluster when a third one was abandoned',
      { ...changed, abandon: 'three', expected: true },
    ],
    [
      'true for another cluster when the annotation is true',
      { ...changed, abandon: 'true', expected: true },
    ],
    ['false for the first cluster', { found: 'one', expected: false }],
    ['false for a cluster with an unknown uid', { noted: 'one', expected: false }],
  ])('returns %s', (_, { noted, found, abandon, expected }) => {
    const { metadata, ...rest } = karmadaOf();
    const annotations: Record<string, string> = {};
    if (abandon !== undefined) annotations[ABANDON_HOST_ANNOTATION] = abandon;
    const status = noted === undefined ? {} : { hostUID: noted };
    const karmada = { ...rest, metadata: { ...metadata, annotations }, status };
    expect(isDifferentHostCluster(karmada, found)).toBe(expected);
  });
});
