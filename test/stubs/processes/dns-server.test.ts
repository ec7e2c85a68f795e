import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resolveAddress, resolveName } from './dns-server.ts';

const pod = (name: string, podIP: string, ready: boolean): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'team', labels: { app: 'etcd' } },
  spec: { hostname: name, subdomain: 'peers', containers: [] },
  status: { podIP, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

const service = (name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'team' },
  spec: { selector: { app: 'etcd' }, ...more },
});

const objects = {
  pods: () => [pod('etcd-0', '10.0.0.1', true), pod('etcd-1', '10.0.0.2', false)],
  services: () => [service('peers', { publishNotReadyAddresses: true }), service('clients')],
};

describe('resolveName', () => {
  it.each([
    ['peers.team.svc.cluster.local', ['10.0.0.1', '10.0.0.2']],
    ['peers.team.svc', ['10.0.0.1', '10.0.0.2']],
    ['clients.team.svc.cluster.local', ['10.0.0.1']],
    ['etcd-1.peers.team.svc.cluster.local', ['10.0.0.2']],
    ['etcd-1.clients.team.svc.cluster.local', undefined],
    ['etcd-2.peers.team.svc.cluster.local', undefined],
    ['peers.other.svc.cluster.local', undefined],
    ['example.com', undefined],
  ])('resolves %s to %j', (name, expected) => {
    expect(resolveName(name, objects)).toEqual(expected);
  });
});

it('resolveAddress returns the name of the Pod', () => {
  expect(resolveAddress('10.0.0.2', objects)).toBe('etcd-1.peers.team.svc.cluster.local');
  expect(resolveAddress('10.0.0.3', objects)).toBeUndefined();
});
