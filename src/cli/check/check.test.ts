import { describe, expect, it } from '@jest/globals';
import type { Workload } from '../../components/workload.ts';
import { serviceZones } from './dns-domain.ts';
import { registriesIn, registryOf } from './pull-secrets.ts';
import { quotaFindings } from './quota.ts';
import { checked, failIfAny } from './result.ts';
import { refusalOf, trialPod } from './trial-pods.ts';

const workload = (replicas: number, resources: object, more: object = {}): Workload => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'demo-etcd', namespace: 'team' },
  spec: {
    replicas,
    selector: { matchLabels: {} },
    template: {
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: { containers: [{ name: 'etcd', resources: resources as never }] },
    },
    ...more,
  },
});

const quota = (hard: object, used: object, spec: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team' }, spec },
  status: { hard, used },
});

describe('quotaFindings', () => {
  const one = workload(3, { requests: { cpu: '500m', memory: '1Gi' } });

  it('names the resource, what is requested and what is left', () => {
    const { problems } = quotaFindings(
      [one],
      [quota({ 'requests.cpu': '2' }, { 'requests.cpu': '1' })],
    );
    expect(problems.map(({ message }) => message)).toEqual([
      'ResourceQuota team: the Pods request 1500m of requests.cpu, and 1000m of 2 are left; raise the quota, or lower the resources of the components',
    ]);
  });

  it.each<[string, object, object, number]>([
    ['enough', { cpu: '2', memory: '4Gi', pods: '3' }, {}, 0],
    ['too little memory and too few Pods', { memory: '2Gi', pods: '2' }, {}, 2],
    ['no limit of these resources', { 'count/secrets': '1' }, { 'count/secrets': '1' }, 0],
    ['nothing left', { pods: '3' }, { pods: '9' }, 1],
  ])('with %s finds %#', (_, hard, used, count) => {
    expect(quotaFindings([one], [quota(hard, used)]).problems).toHaveLength(count);
  });

  it('counts a limit as a request, and ignores quotas with scopes', () => {
    const limited = workload(1, { limits: { cpu: '3' } });
    expect(quotaFindings([limited], [quota({ cpu: '2' }, {})]).problems).toHaveLength(1);
    const scoped = quota({ cpu: '2' }, {}, { scopes: ['BestEffort'] });
    expect(quotaFindings([limited], [scoped]).problems).toEqual([]);
  });
});

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
      /raise the quota/,
    ],
    ['pods "a" is forbidden: violates PodSecurity "restricted:latest"', 'PodsRefused', /namespace/],
    [
      'pods "a" is forbidden: no PriorityClass with name x was found',
      'PodsRefused',
      /PriorityClass/,
    ],
    ['admission webhook "a.b" denied the request: no', 'PodsRefused', /webhook/],
    ['something else', 'PodsRefused', /correct the setting/],
  ])('of %j is %s', (text, reason, remedy) => {
    const found = refusalOf(text);
    expect(found.reason).toBe(reason);
    expect(found.remedy).toMatch(remedy);
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

describe('registryOf and registriesIn', () => {
  it.each([
    ['registry.k8s.io/etcd:3.6.14-0', 'registry.k8s.io'],
    ['karmada/karmada-webhook:v1', 'docker.io'],
    ['localhost/a', 'localhost'],
    ['a.b:5000/c/d@sha256:0', 'a.b:5000'],
    ['busybox', 'docker.io'],
  ])('the registry of %s is %s', (image, registry) => {
    expect(registryOf(image)).toBe(registry);
  });

  it('reads the hosts of a Docker configuration', () => {
    const auths = { 'https://index.docker.io/v1/': {}, 'a.b:5000/path': {}, 'c.d': {} };
    expect(registriesIn(JSON.stringify({ auths }))).toEqual(['docker.io', 'a.b:5000', 'c.d']);
    expect(registriesIn('no json')).toEqual([]);
    expect(registriesIn('{"auths":[]}')).toEqual([]);
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
