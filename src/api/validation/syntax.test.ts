import { describe, expect, it } from '@jest/globals';

import * as syntax from './syntax.ts';

type Name = Exclude<keyof typeof syntax, 'isCidr' | 'endpointParts'>;

const RIGHT: Readonly<Record<Name, readonly string[]>> = {
  dnsLabel: ['a', '0', 'a-b', 'a'.repeat(63)],
  dnsSubdomain: ['cluster.local', 'a', '1.2', `${'a'.repeat(63)}.b`],
  dnsDomain: ['cluster.local', `${'a'.repeat(60)}.${'b'.repeat(60)}`],
  duration: ['10m', '1h30m', '0s', '600s'],
  objectName: ['a', 'a.b', 'a--b', 'a'.repeat(253)],
  qualifiedName: ['a', 'A_b.c', 'example.com/a', 'a'.repeat(63), `${'a'.repeat(253)}/b`],
  annotationKey: ['Example.com/Note'],
  labelValue: ['', 'a', 'A_b.c-1'],
  subjectAltName: ['localhost', '*.a.b', '10.0.0.1', 'fd00::1', '::ffff:10.0.0.1'],
  serviceSubnet: ['10.96.0.0/12', 'fd00::/108', '10.96.0.0/12,fd00::/108', 'fd00::/108,10.0.0.0/8'],
  downloadUrl: ['http://local', 'https://a/b?c', 'HTTP://a', 'https://[fd00::1]:8443/crds.tar.gz'],
  proxyUrl: ['http://proxy:3128', 'https://u:p@proxy', 'socks5://a:1'],
  sha256Sum: ['a1'.repeat(32), 'F'.repeat(64)],
  dataKey: ['crds.tar.gz', '.a', 'a..b', '_'],
  etcdEndpoint: [
    'https://a:2379',
    'http://10.0.0.1:2379/',
    'a.b:2379',
    '[fd00::1]:2379',
    'https://A_1.b.:1',
  ],
  externalEndpoint: [
    'karmada.example.com',
    'a:443',
    '203.0.113.7:6443',
    '[fd00::1]:443',
    '[fd00::1]',
  ],
  apiEndpoint: ['https://a', '10.0.0.1:6443', 'https://[fd00::1]:6443'],
  imageRegistry: ['registry.example', 'localhost:5000', 'a.b/c/d', 'a.b/', '[fd00::1]:5000'],
  imageReference: [
    'etcd:3.6.6-0',
    'registry.k8s.io/etcd:3.6.6-0',
    'localhost:5000/a/b__c.d-e:v1',
    `a/b@sha256:${'0'.repeat(64)}`,
    `a/b:v1@sha256:${'0'.repeat(64)}`,
  ],
  release: ['v1.17.1', 'v1.18.0-rc.1'],
  flagName: ['v', 'audit-log-path', 'a.b_c'],
  retention: ['8', '30m', '1h30m'],
  revisionCount: ['0', '1000'],
  featureGate: ['Failover', 'APIServerTracing'],
  controllerName: ['*', 'namespace', '-ttl', 'service-account-token-controller'],
  quantity: ['1', '500m', '2Gi', '1e3', '-1', '.5'],
  percentage: ['0%', '50%', '100%', '007%'],
  stepDuration: ['1s', '10m', '1h30m', '90s'],
};

const WRONG: Readonly<Record<Name, readonly string[]>> = {
  dnsLabel: ['', 'A', '-a', 'a-', 'a.b', 'a'.repeat(64), 'a\n'],
  dnsSubdomain: ['', '.a', 'a.', 'a..b', 'a b', `${'a.'.repeat(127)}aa`],
  dnsDomain: ['', 'a_b', `${'a'.repeat(61)}.${'b'.repeat(60)}`, 'a'.repeat(64)],
  duration: ['', '10', 'm', '10 m', '-1m', '1.5h', '1d', '10ms', '1'.repeat(16) + 'm'],
  objectName: ['', 'A', '-a', 'a-', 'a..b', 'a.-b', 'a\n', 'a'.repeat(254)],
  qualifiedName: [
    `${'a'.repeat(254)}/b`,
    '',
    '/a',
    'a/',
    'a/b/c',
    'A/b',
    '-a',
    'a'.repeat(64),
    'a\n',
  ],
  annotationKey: ['a b'],
  labelValue: ['a b', '-a', 'a: {b', 'a'.repeat(64), '\n'],
  subjectAltName: ['', '*', '*.', 'a.*.b', '**.a', 'Bad_Name', '10.0.0.0/8', 'fe80::1%eth0', 'a b'],
  serviceSubnet: [
    '',
    '10.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/08',
    'x/8',
    '10.0.0.0/8/8',
    '10.0.0.0/8,',
    'fd00::/129',
  ],
  downloadUrl: [
    '',
    'a',
    'a/b',
    'http://',
    'http://a b',
    'http://a\nb',
    'http://a:x/',
    '/crds.tar.gz',
    'file:///a',
    'ftp://a/b',
    'javascript:a',
    `https://a/${'b'.repeat(2048)}`,
  ],
  proxyUrl: ['', 'proxy:3128', 'ftp://a', 'socks5://', 'http://a b'],
  sha256Sum: ['', 'a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), `${'a'.repeat(64)}\n`],
  dataKey: ['', '.', '..', '..a', 'a/b', 'a b', 'a\n', 'a'.repeat(254)],
  etcdEndpoint: [
    '',
    'https://',
    'https://a',
    'a:0',
    'a:65536',
    'a:2379/',
    'ftp://a:1',
    'unix://a:1',
    'a:1,b:1',
    'https://a:1/b',
    'a b:1',
    '-a:1',
    'https://u:p@a:1',
    'a:1\n',
    'https://xn--:1',
    '[::::]:1',
  ],
  externalEndpoint: [
    'https://a',
    'a/b',
    '',
    'a:',
    'a:70000',
    'fd00::1',
    'a b',
    '1.2.3',
    '[fd00]',
    'a@b',
  ],
  apiEndpoint: ['http://a', 'a/b', ''],
  imageRegistry: ['', 'https://a', 'a b', 'a.b/C', '/a', '-a'],
  imageReference: [
    '',
    ':v1',
    'A/B:v1',
    'a:',
    'a:v1:v2',
    'a b:v1',
    'a//b:v1',
    'a@sha256:0',
    'a:v1\n',
    'a:{{x}}',
  ],
  release: ['', '1.17.1', 'v1.17', 'latest', 'v1.17.1@sha256:00', 'v1.17.1\n'],
  flagName: ['', '-v', '--v', 'a=b', 'a b', 'a\n'],
  retention: ['', '1d', '-1', '30m5'],
  revisionCount: ['', '1h', '-1'],
  featureGate: ['', 'A=true', 'A,B', 'A B', '1A'],
  controllerName: ['', 'a,b', 'a b', '--a', '-*'],
  quantity: ['', 'a', '1 Gi', '1GB', '1Gii', '1e'],
  percentage: ['', '1', '-1%', '1.5%', 'half', '%', '1%%', '101%'],
  stepDuration: ['', '0s', '10', '-1m', '1.5h', '10ms', '1d', '1m\n', '1s'.repeat(17)],
};

describe('syntax', () => {
  it('matches long strings in linear time', () => {
    const long = ['a', 'a-', '0', '*.', 'a/', '1.', ' '].map((part) => part.repeat(1_000_000));
    const checks = Object.keys(RIGHT) as Name[];
    expect(checks.flatMap((name) => long.map((text) => syntax[name].matches(text))).length).toBe(
      checks.length * long.length,
    );
  });

  it.each(Object.keys(RIGHT) as Name[])('%s accepts valid and rejects invalid strings', (name) => {
    const rule = syntax[name];
    expect(RIGHT[name].filter((text) => !rule.matches(text))).toEqual([]);
    expect(WRONG[name].filter((text) => rule.matches(text))).toEqual([]);
    expect(rule.expected.length).toBeGreaterThan(5);
  });
});
