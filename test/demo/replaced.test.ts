import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { leadsElsewhere } from './replaced.ts';

const secret = (data?: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'host-cluster' },
  ...(data && { data }),
});
const now = secret({ token: 'bmV3', caBundle: 'Q0E=' });

describe('a host', () => {
  it.each([
    ['is another when its authority is', secret({ token: 'bmV3', caBundle: 'b2xk' }), true],
    ['is another when nothing is known of the one before', secret(), true],
    ['is the same with another token', secret({ token: 'b2xk', caBundle: 'Q0E=' }), false],
    ['is no other when it is the first', undefined, false],
  ])('%s', (_, before, expected) => {
    expect(leadsElsewhere(before, now)).toBe(expected);
  });
});
