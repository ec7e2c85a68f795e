import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { KarmadaSpec } from '../api/karmada.ts';
import { podFieldsOf } from '../api/defaults/pod-settings.ts';
import type { FailedChange } from './ready-record.ts';
import { changedFields, rollbackSpec } from './rollback-spec.ts';

const HOST = { defaultStorageClass: false };

function returned(before: KarmadaSpec, after: KarmadaSpec, step = 'karmada-webhook') {
  const failed: FailedChange = { specHash: 'a', step, reason: 'b', message: 'c', at: 'd' };
  const [lastReady, target] = [before, after].map((spec) => defaultSpec(spec, HOST));
  if (lastReady === undefined || target === undefined) throw new Error('no spec');
  return { lastReady, target, spec: rollbackSpec({ failed, lastReady, target }) };
}

const etcdOf = (imageTag: string, more: object = {}): KarmadaSpec => ({
  components: { etcd: { local: { imageTag, ...more } } },
});

describe('rollbackSpec', () => {
  it('returns components, versions and feature gates', () => {
    const before = { version: 'v1.16.0', featureGates: { Failover: true } };
    const { spec, lastReady } = returned(before, { version: 'v1.17.1' });
    expect(spec.version).toBe('v1.16.0');
    expect(spec.featureGates).toEqual({ Failover: true });
    expect(spec.components.karmadaWebhook).toEqual(lastReady.components.karmadaWebhook);
  });

  it('keeps policy, suspension, host cluster and CA of the present spec', () => {
    const policy = { onFailure: 'Rollback', stepDeadline: '1m' } as const;
    const hostCluster = { apiEndpoint: 'https://b' };
    const customCertificate = { leafCertValidityDays: 30 };
    const { spec } = returned(
      { customCertificate: { leafCertValidityDays: 10 }, suspend: true },
      { upgrade: policy, hostCluster, customCertificate },
    );
    expect(spec).toMatchObject({ upgrade: policy, hostCluster, customCertificate });
    expect(spec.suspend).toBeUndefined();
  });

  it.each<[string, readonly [string, string, string], string]>([
    ['another step failed', ['3.6.5-0', '3.6.6-0', 'karmada-webhook'], '3.6.6-0'],
    ['its version changed', ['3.6.5-0', '3.6.6-0', 'etcd'], '3.6.6-0'],
    ['its version is unchanged', ['3.6.6-0', '3.6.6-0-none', 'etcd'], '3.6.6-0'],
  ])('decides about the image of etcd when %s', (_, [before, after, step], tag) => {
    const { spec } = returned(etcdOf(before), etcdOf(after), step);
    expect(spec.components.etcd.local?.imageTag).toBe(tag);
  });

  it.each([
    ['karmada-webhook', 'b'],
    ['etcd', 'a'],
  ])('returns Pod settings, those of etcd only with etcd: step %s', (step, etcdClass) => {
    const [before, after] = ['a', 'b'].map((runtimeClassName): KarmadaSpec => ({
      podSettings: [{ runtimeClassName }],
    }));
    const { spec } = returned(before ?? {}, after ?? {}, step);
    const classes = (['etcd', 'karmadaWebhook', 'karmadaAPIServer'] as const).map(
      (key) => podFieldsOf(spec.podSettings, key).runtimeClassName,
    );
    expect(classes).toEqual([etcdClass, 'a', 'a']);
  });

  it('keeps members and storage of etcd', () => {
    const after = { replicas: 3, volumeData: { hostPath: { path: '/b' } } };
    const before = { replicas: 1, volumeData: { emptyDir: {} } };
    const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } };
    const { spec } = returned(
      etcdOf('3.6.6-0', { ...before, ...policy }),
      etcdOf('3.6.6-0', { ...after, resources: { requests: { cpu: '9' } } }),
      'etcd',
    );
    expect(spec.components.etcd.local).toMatchObject(after);
    expect(spec.components.etcd.local).not.toHaveProperty('resources');
    expect(spec.components.etcd.local).not.toHaveProperty('persistentVolumeClaimRetentionPolicy');
  });

  it('keeps an external etcd', () => {
    const of = (endpoint: string): KarmadaSpec => ({
      components: { etcd: { external: { endpoints: [endpoint], secretRef: { name: 'a' } } } },
    });
    const { spec, target } = returned(of('https://a'), of('https://b'), 'etcd');
    expect(spec.components.etcd).toEqual(target.components.etcd);
  });
});

describe('changedFields', () => {
  it('names the fields that differ', () => {
    const before: KarmadaSpec = { components: { karmadaWebhook: { replicas: 1 } } };
    const after: KarmadaSpec = {
      components: { karmadaWebhook: { replicas: 1, extraArgs: { v: '4' } }, karmadaSearch: {} },
    };
    expect(changedFields(before, after)).toEqual([
      'spec.components.karmadaWebhook.extraArgs',
      'spec.components.karmadaSearch',
    ]);
  });

  it('names spec.version and not the tags that follow it, nor the policy', () => {
    const of = (version: string): KarmadaSpec => ({
      version,
      upgrade: { stepDeadline: version },
      components: { karmadaWebhook: { imageTag: version } },
    });
    expect(changedFields(of('v1.16.0'), of('v1.17.1'))).toEqual(['spec.version']);
  });
});
