import { describe, expect, it } from '@jest/globals';
import { serviceZones } from './dns-domain.ts';
import { isFor, registriesOf, registryOf } from './pull-secrets.ts';
import { checked, failIfAny } from './result.ts';
import { refusalOf, trialPod } from './trial-pods.ts';
import { workload } from './__fixtures__/workload.ts';

describe('trialPod', () => {
  it('has the template of the workload, and volumes instead of PVC templates', () => {
    const claims = { volumeClaimTemplates: [{ metadata: { name: 'etcd-data' } }] };
    expect(trialPod(workload(1, {}, claims))).toMatchObject({
      kind: 'Pod',
      metadata: {
        name: 'demo-etcd-check',
        namespace: 'team',
        labels: { a: 'b' },
        annotations: { c: 'd' },
      },
      spec: { volumes: [{ name: 'etcd-data', persistentVolumeClaim: {} }] },
    });
  });
});

describe('refusalOf', () => {
  it.each([
    [
      'pods "a" is forbidden: exceeded quota: team, requested: pods=1',
      'QuotaExceeded',
      /raise the ResourceQuota/,
    ],
    [
      'pods "a" is forbidden: violates PodSecurity "restricted:latest"',
      'PodSecurityRefused',
      /namespace/,
    ],
    [
      'pods "a" is forbidden: failed quota: team: must specify limits.cpu for: main',
      'QuotaExceeded',
      /set spec\.components\..*resources/,
    ],
    [
      'pods "a" is forbidden: minimum memory usage per Container is 1Gi, but request is 64Mi',
      'QuotaExceeded',
      /LimitRange/,
    ],
    [
      'error looking up service account team/default: serviceaccount "default" not found',
      'PodsRefused',
      /wait/,
    ],
    ['failed calling webhook "a.b": refused', 'WebhookRefusesPods', /start its server/],
    [
      'pods "a" is forbidden: no PriorityClass with name x was found',
      'PodsRefused',
      /PriorityClass/,
    ],
    ['admission webhook "a.b" denied the request: no', 'WebhookRefusesPods', /webhook/],
    ['something else', 'PodsRefused', /correct the setting/],
  ])('of %j is %s', (text, reason, remedy) => {
    const found = refusalOf(text);
    expect(found.reason).toBe(reason);
    expect(found.remedy).toMatch(remedy);
  });

  it.each([
    ['failed calling webhook "a.b": refused', 'WebhookRefusesObjects'],
    ['spec.ports[0].nodePort: provided port is already allocated', undefined],
  ])('of an object that is no Pod, %j is %s', (text, reason) => {
    expect(refusalOf(text, 'object').reason).toBe(reason);
  });
});

describe('serviceZones', () => {
  it.each([
    ['.:53 {\n    kubernetes cluster.local in-addr.arpa ip6.arpa {\n    }\n}', ['cluster.local']],
    ['kubernetes k8s.example.org. 10.0.0.0/8.in-addr.arpa', ['k8s.example.org']],
    ['.:53 {\n    forward . /etc/resolv.conf\n}', []],
    ['', []],
  ])('in %j are %j', (corefile, zones) => {
    expect(serviceZones(corefile)).toEqual(zones);
  });
});

describe('registryOf and registriesOf', () => {
  it.each([
    ['registry.k8s.io/etcd:3.6.14-0', 'registry.k8s.io'],
    ['karmada/karmada-webhook:v1', 'docker.io'],
    ['localhost/a', 'localhost'],
    ['a.b:5000/c/d@sha256:0', 'a.b:5000'],
    ['busybox', 'docker.io'],
  ])('the registry of %s is %s', (image, registry) => {
    expect(registryOf(image)).toBe(registry);
  });

  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

  it('reads the hosts of a Docker configuration, also of the former format', () => {
    const auths = { 'https://index.docker.io/v1/': {}, 'a.b:5000/path': {}, 'c.d': {} };
    const hosts = ['docker.io', 'a.b:5000', 'c.d'];
    expect(registriesOf({ '.dockerconfigjson': encoded({ auths }) })).toEqual(hosts);
    expect(registriesOf({ '.dockercfg': encoded(auths) })).toEqual(hosts);
    expect(registriesOf({ '.dockerconfigjson': 'none' })).toEqual([]);
    expect(registriesOf({ '.dockerconfigjson': encoded({ auths: [] }) })).toEqual([]);
    expect(registriesOf({})).toEqual([]);
  });

  it.each([
    ['a.b:5000', 'a.b:5000', true],
    ['*.example.com', 'mirror.example.com', true],
    ['*.example.com', 'a.mirror.example.com', false],
    ['mirror-*.example.com', 'mirror-eu.example.com', true],
    ['m*r*r.example.com', 'mirror.example.com', true],
    ['mirror*.example.com', 'mirr.example.com', false],
    ['a*a.example.com', 'a.example.com', false],
    ['example.com', 'example.org', false],
  ])('%s has credentials for %s: %s', (pattern, registry, expected) => {
    expect(isFor(pattern, registry)).toBe(expected);
  });
});

describe('checked and failIfAny', () => {
  it('returns ok, the problems, or skipped with the error', async () => {
    const failed = { outcome: 'failed', message: 'b' } as const;
    const results = [
      ...(await checked('spec', () => ({ ok: 'a', problems: [] }))),
      ...(await checked('Pods', () => ({ ok: '', problems: [failed] }))),
      ...(await checked('quota', () => Promise.reject(new Error('c')))),
    ];
    expect(results.map(({ check, outcome, message }) => [check, outcome, message])).toEqual([
      ['spec', 'ok', 'a'],
      ['Pods', 'failed', 'b'],
      ['quota', 'skipped', 'c'],
    ]);
    expect(() => failIfAny(results)).toThrow('1 check has failed');
    expect(() => failIfAny(results.slice(2))).not.toThrow();
  });
});
