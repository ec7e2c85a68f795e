import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { normalised } from './normalize-objects.ts';

/** Objects of one installation whose API server has this address. */
const installed = (namespace: string, ip: string): readonly KubernetesObject[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'apiserver', namespace },
    spec: { clusterIP: ip, clusterIPs: [ip] },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'names', namespace },
    data: { names: `DNS:a.${namespace}.svc, IP Address:${ip}, IP Address:10.96.0.1` },
  },
];

describe('normalised', () => {
  it('returns equal objects for installations in different namespaces and with different addresses', () => {
    const one = normalised(installed('team-a', '10.241.74.28'), 'team-a');
    expect(normalised(installed('team-b', '10.241.7.2'), 'team-b')).toEqual(one);
    expect(JSON.stringify(one)).toContain('IP Address:10.96.0.1, IP Address:IP of apiserver');
  });
});
