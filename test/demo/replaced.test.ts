import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { leadsElsewhere } from './replaced.ts';

const secret = (data?: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'host-cluster' },
  ...(data && { data }),
});
const now = secret({ token: 'bmV3', caBundle: 'Q0E=' });

describe('leadsElsewhere', () => {
  it.each([
    ['returns true when the CA is different', secret({ token: 'bmV3', caBundle: 'b2xk' }), true],
    ['returns true when the previous Secret has no CA', secret(), true],
    [
      'returns false when only the token is different',
      secret({ token: 'b2xk', caBundle: 'Q0E=' }),
      false,
    ],
    ['returns false when there is no previous Secret', undefined, false],
  ])('%s', (_, before, expected) => {
    expect(leadsElsewhere(before, now)).toBe(expected);
  });
});
