import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { ipFamilyOf } from './host-facts.ts';

const pod = (...ips: string[]): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  status: { podIPs: ips.map((ip) => ({ ip })) },
});

const node = (...addresses: string[]): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a' },
  status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) },
});

type Row = readonly [string, readonly KubernetesObject[], readonly KubernetesObject[], unknown];

describe('ipFamilyOf', () => {
  it.each<Row>([
    ['IPv4 Pods', [pod('10.0.0.1')], [], 'IPv4'],
    [
      'IPv6 Pods on Nodes with both families',
      [pod('fd00::1')],
      [node('10.0.0.1', 'fd00::9')],
      'IPv6',
    ],
    ['Pods of both families', [pod('fd00::1', '10.0.0.1')], [], 'IPv4'],
    ['IPv6 Nodes before the first Pod', [pod()], [node('fd00::9')], 'IPv6'],
    ['Nodes with only host names', [], [node('node-1')], undefined],
    ['nothing', [], [], undefined],
  ])('finds the IP family of %s', (_, pods, nodes, expected) => {
    expect(ipFamilyOf(pods, nodes)).toBe(expected);
  });
});

describe('default range of Services', () => {
  it.each([
    [undefined, '10.96.0.0/12'],
    ['IPv4', '10.96.0.0/12'],
    ['IPv6', 'fd00:10:96::/112'],
  ] as const)('fits the IP family %s of the host cluster', (ipFamily, expected) => {
    const facts = { defaultStorageClass: true, ...(ipFamily && { ipFamily }) };
    expect(defaultSpec({}, facts).components.karmadaAPIServer.serviceSubnet).toBe(expected);
  });
});
