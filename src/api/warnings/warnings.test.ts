import { describe, expect, it } from '@jest/globals';

import { ACCEPTED } from '../__fixtures__/accepted.ts';
import { karmadaOf } from '../__fixtures__/spec.ts';
import { defaultSpec } from '../defaults/defaults.ts';
import type { KarmadaSpec } from '../karmada.ts';
import { validate } from '../validation/validation.ts';
import { warnings } from './warnings.ts';

const claim = {
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const own = { etcd: { local: { volumeData: { volumeClaim: claim } } } };
const external = (endpoint: string) => ({
  etcd: { external: { endpoints: [endpoint], secretRef: { name: 'etcd', namespace: 'other' } } },
});

function reasons(spec: KarmadaSpec, name = 'demo', defaultStorageClass = true): readonly string[] {
  const karmada = karmadaOf(spec, name);
  expect(validate(karmada)).toEqual([]);
  const found = warnings(karmada, defaultSpec(spec, { defaultStorageClass }));
  expect(found.every((warning) => /^[A-Z][A-Za-z]+$/.test(warning.reason))).toBe(true);
  return found.map((warning) => warning.reason);
}

const TABLE: readonly (readonly [KarmadaSpec, readonly string[]])[] = [
  [{}, []],
  [{ components: { etcd: { local: { replicas: 2 } } } }, ['EvenEtcdMembers']],
  [{ components: { etcd: { local: { imageTag: '3.6.6-0' } } } }, ['FaultyEtcdRelease']],
  [{ components: { etcd: { local: { imageTag: '3.5.35-0' } } } }, []],
  [{ components: { etcd: { local: { volumeData: { emptyDir: {} } } } } }, ['EphemeralEtcd']],
  [
    { components: { etcd: { local: { volumeData: { hostPath: { path: '/d' } } } } } },
    ['EtcdBoundToNode'],
  ],
  [
    { components: { etcd: { local: { volumeData: { emptyDir: {}, volumeClaim: claim } } } } },
    ['VolumeKindIgnored'],
  ],
  [
    {
      components: {
        etcd: { local: { volumeData: { volumeClaim: { ...claim, metadata: { name: 'a' } } } } },
      },
    },
    ['ClaimNameIgnored'],
  ],
  [{ components: external('http://a:2379') }, ['PlaintextEtcd']],
  [{ components: external('https://a:2379') }, []],
  [{ components: { ...own, karmadaWebhook: { imageTag: 'latest' } } }, ['UnknownVersion']],
  [
    {
      components: {
        ...own,
        karmadaWebhook: { imageTag: 'v1.16.0' },
        karmadaScheduler: { imageTag: 'v1.17.1' },
      },
    },
    ['MixedVersions'],
  ],
  [{ components: { ...own, karmadaAPIServer: { imageTag: 'v1.26.3' } } }, ['UnsupportedVersions']],
  [{ components: { ...own, karmadaAPIServer: { imageTag: 'v1.37.2' } } }, ['UnsupportedVersions']],
  [{ components: { ...own, karmadaAPIServer: { imageTag: 'v1.31.3' } } }, ['UntestedVersions']],
  [
    { components: { etcd: { local: { ...own.etcd.local, imageTag: '3.7.0-0' } } } },
    ['UntestedVersions'],
  ],
  [
    { components: { etcd: { local: { ...own.etcd.local, imageTag: '3.4.27-0' } } } },
    ['FaultyEtcdRelease', 'UnsupportedVersions'],
  ],
  [{ components: own, version: 'v1.19.0' }, ['UntestedVersions']],
  [{ components: own, version: 'v1.15.2' }, ['UntestedVersions']],
  [{ components: own, version: 'v1.12.0' }, ['UnsupportedVersions']],
  [
    { components: { etcd: { local: { ...own.etcd.local, imageTag: '1.8.1' } } } },
    ['UnknownVersion'],
  ],
  [
    {
      components: {
        ...own,
        karmadaAPIServer: { extraArgs: { 'audit-log-path': '/var/log/a.log' } },
      },
    },
    ['FileNotMounted'],
  ],
  [
    {
      podSettings: [{ components: ['etcd'], env: [{ name: 'https_proxy', value: 'http://a:1' }] }],
    },
    ['ProxyIgnored'],
  ],
  [
    {
      components: {
        ...own,
        karmadaAPIServer: { imageTag: 'v1.34.3' },
        kubeControllerManager: { imageTag: 'v1.35.4' },
      },
    },
    ['UnsupportedVersions', 'UntestedVersions'],
  ],
  [{ components: own, egressCIDRs: [] }, ['NetworkPolicyNotEnforced']],
  [
    { components: own, monitoring: { namespaces: ['a'] }, networkPolicy: 'None' },
    ['NetworkPolicyNotEnforced'],
  ],
  [{ components: own, egressCIDRs: ['203.0.113.0/24'], networkPolicy: 'Enforced' }, []],
  [{ featureGates: { NoSuchGate: true, Failover: true } }, ['UnknownFeatureGate']],
  [
    { components: { karmadaDescheduler: { extraArgs: { 'feature-gates': 'A=true' } } } },
    ['UnknownFlag'],
  ],
  [{ components: { karmadaMetricsAdapter: { enabled: false, replicas: 0 } } }, []],
  [
    { components: { ...own, karmadaWebhook: { podDisruptionBudgetConfig: { minAvailable: 1 } } } },
    ['DisruptionBudgetBlocksDrain'],
  ],
  [
    {
      components: {
        ...own,
        karmadaWebhook: { replicas: 2, podDisruptionBudgetConfig: { maxUnavailable: '0%' } },
      },
    },
    ['DisruptionBudgetBlocksDrain'],
  ],
  [
    {
      components: {
        ...own,
        karmadaWebhook: { replicas: 2, podDisruptionBudgetConfig: { minAvailable: 1 } },
      },
    },
    [],
  ],
  [{ components: { karmadaMetricsAdapter: { replicas: 0 } } }, ['ComponentStopped']],
  [{ components: { karmadaAPIServer: { loadBalancerClass: 'a' } } }, ['LoadBalancerClassIgnored']],
  [{ hostCluster: { apiEndpoint: 'https://a:6443' } }, ['ApiEndpointIgnored']],
  [{ crdTarball: { httpSource: { url: 'http://a/crds.tar.gz' } } }, ['PlaintextDownload']],
  [{ crdTarball: { httpSource: { url: 'http://a/b', sha256: 'a'.repeat(64) } } }, []],
  [{ crdTarball: { httpSource: { url: 'https://a/b@c' } } }, []],
  [{ crdTarball: { httpSource: { url: 'https://u:p@a/b' } } }, ['PasswordInUrl']],
  [
    { crdTarball: { httpSource: { url: 'https://a/b', proxy: { proxyURL: 'http://u@p' } } } },
    ['PasswordInUrl'],
  ],
  [{ crdTarball: { secretRef: { name: 'a' } } }, []],
  [{ customCertificate: { leafCertValidityDays: 4000 } }, ['CertificatesOutliveCA']],
];

describe('warnings', () => {
  it.each(TABLE.map(([spec, expected]) => [JSON.stringify(spec), expected, spec] as const))(
    'returns for %s the reasons %j',
    (_text, expected, spec) => {
      expect(reasons(spec)).toEqual(expected);
    },
  );

  it('returns EphemeralEtcd for default storage when the host cluster has no default StorageClass', () => {
    expect(reasons({}, 'demo', false)).toEqual(['EphemeralEtcd']);
  });

  it('returns NameBeginsWithDigit when the name starts with a digit', () => {
    expect(reasons({}, '1st')).toEqual(['NameBeginsWithDigit']);
  });

  it('names 20 feature gates of a field and the number of the others, although several components read it', () => {
    const names = Array.from(
      { length: 4_000 },
      (_, index) => [`NoSuchGate${index}`, true] as const,
    );
    const spec = { featureGates: { ...Object.fromEntries(names), Failover: true } };
    const found = warnings(karmadaOf(spec), defaultSpec(spec, { defaultStorageClass: true }));
    expect(found).toHaveLength(21);
    expect(found[0]?.message).toMatch(
      /^spec\.featureGates: karmada-\S+ v1\.18\.2 has no feature gate "NoSuchGate0", so it exits at start; remove the feature gate\.$/,
    );
    expect(found.at(-1)?.message).toMatch(
      /^spec\.featureGates: and 3980 more that karmada-\S+ v1\.18\.2 does not have; remove the feature gates\.$/,
    );
  });

  it.each(ACCEPTED)('ends each message with a full stop for %s', (_what, spec) => {
    const found = warnings(karmadaOf(spec), defaultSpec(spec, { defaultStorageClass: true }));
    expect(found.every((warning) => warning.message.endsWith('.'))).toBe(true);
  });
});
