import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { hasPeerCertificate, peerSchemeOf } from './peer-flags.ts';

const podWith = (command: readonly string[], args?: readonly string[]): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'etcd-0' },
  spec: { containers: [{ command, ...(args && { args }) }, { command: ['sidecar'] }] },
});

const HTTP = '--listen-peer-urls=http://0.0.0.0:2380';
const HTTPS = '--listen-peer-urls=https://0.0.0.0:2380';

describe('peerSchemeOf', () => {
  it.each<[string, KubernetesObject, string]>([
    ['an http URL', podWith(['etcd', HTTP]), 'http'],
    ['an https URL', podWith(['etcd', HTTPS]), 'https'],
    ['the last flag', podWith(['etcd', HTTP], [HTTPS]), 'https'],
    ['several URLs', podWith(['etcd', `${HTTP},https://0.0.0.0:2382`]), 'https'],
    ['no flag', podWith(['etcd']), 'https'],
  ])('reads %s', (_, pod, scheme) => {
    expect(peerSchemeOf(pod)).toBe(scheme);
    const { spec } = pod as unknown as { spec: object };
    const set = { ...pod, kind: 'StatefulSet', spec: { template: { spec } } };
    expect(peerSchemeOf(set)).toBe(scheme);
  });
});

describe('hasPeerCertificate', () => {
  const [certificate, authority] = ['--peer-cert-file=a.crt', '--peer-trusted-ca-file=ca.crt'];

  it.each<[readonly string[], boolean]>([
    [[certificate, authority], true],
    [[certificate], false],
    [[authority], false],
    [['--cert-file=a.crt', '--trusted-ca-file=ca.crt'], false],
  ])('with %j is %s', (flags, expected) => {
    expect(hasPeerCertificate(podWith(['etcd', ...flags]))).toBe(expected);
  });
});
