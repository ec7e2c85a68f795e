import { describe, expect, it } from '@jest/globals';

import type { VolumeData } from '../../api/karmada.ts';
import { hasOwnTiming, type EtcdSettings } from '../../api/etcd-settings.ts';
import { TEMPLATES } from '../__fixtures__/golden.ts';
import { inputOf } from '../__fixtures__/inputs.ts';
import type { RenderInput } from '../component.ts';
import { renderComponent } from '../desired.ts';
import type { Workload } from '../workload.ts';
import { isWorkload } from '../workload.ts';
import { EFFECTIVE_HASH, OTHER_SIZE_HASH, withEffectiveHash } from './effective-hash.ts';
import { etcd } from './etcd.ts';

function statefulSet(input: RenderInput): Workload {
  const found = renderComponent(TEMPLATES, etcd, input).find(isWorkload);
  if (!found) throw new Error('no StatefulSet');
  return found;
}

function flags(input: RenderInput): ReadonlyMap<string, string> {
  const command = statefulSet(input).spec.template.spec.containers[0]?.command ?? [];
  return new Map(
    command
      .slice(1)
      .map((item) => [item.slice(2, item.indexOf('=')), item.slice(item.indexOf('=') + 1)]),
  );
}

function withVolume(volumeData: VolumeData): RenderInput {
  return inputOf({ components: { etcd: { local: { volumeData } } } });
}

const THREE = inputOf({ components: { etcd: { local: { replicas: 3 } } } });

describe('etcd command line', () => {
  it('requires mutual TLS for all peer traffic', () => {
    const member = flags(THREE);
    expect(member.get('listen-peer-urls')).toBe('https://0.0.0.0:2380');
    expect(member.get('peer-client-cert-auth')).toBe('true');
    expect(member.get('initial-advertise-peer-urls')).toMatch(/^https:/);
    expect((member.get('initial-cluster') ?? '').match(/=https:/g)).toHaveLength(3);
  });

  it('advertises the peer URL that the initial cluster lists for the etcd member', () => {
    const member = flags(THREE);
    const own = (member.get('initial-advertise-peer-urls') ?? '').replace(
      '$(KARMADA_ETCD_NAME)',
      'demo-karmada-etcd-2',
    );
    expect(member.get('initial-cluster')?.split(',')[2]).toBe(`demo-karmada-etcd-2=${own}`);
  });

  it('publishes peer addresses of etcd members that are not ready', () => {
    const [peers, clients] = renderComponent(TEMPLATES, etcd, THREE);
    expect(peers?.['spec']).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
    expect(clients?.['spec']).not.toHaveProperty('publishNotReadyAddresses');
  });

  it('publishes no unready address to clients while others are to join a single member', () => {
    const single = { replicas: 1, ordinals: [0], state: 'existing' } as const;
    const [, clients] = renderComponent(TEMPLATES, etcd, { ...THREE, etcdMembership: single });
    expect(clients?.['spec']).not.toHaveProperty('publishNotReadyAddresses');
  });

  it('keeps the fields of the Go operator that Kubernetes before 1.33 does not change in a StatefulSet', () => {
    const adopted: RenderInput = {
      ...THREE,
      etcdMembership: { replicas: 3, ordinals: [0, 1, 2], state: 'existing', asRoot: true },
    };
    const { spec } = statefulSet(adopted);
    expect(spec).toMatchObject({ revisionHistoryLimit: 10, podManagementPolicy: 'Parallel' });
    expect(statefulSet(THREE).spec).toMatchObject({ revisionHistoryLimit: 3 });
  });

  it('uses the etcd membership of the input when it differs from the spec', () => {
    const growing: RenderInput = {
      ...THREE,
      etcdMembership: { replicas: 2, ordinals: [0, 1], state: 'existing' },
    };
    expect(statefulSet(growing).spec['replicas']).toBe(2);
    expect(flags(growing).get('initial-cluster-state')).toBe('existing');
    expect(flags(growing).get('initial-cluster')?.split(',')).toHaveLength(2);
  });

  it('uses a different cluster token for each control plane', () => {
    const tokens = [inputOf({}, 'demo', 'a'), inputOf({}, 'demo', 'b'), inputOf({}, 'other', 'a')];
    expect(new Set(tokens.map((input) => flags(input).get('initial-cluster-token'))).size).toBe(3);
  });

  it('has no certificates hash, so a new certificate does not restart an etcd member', () => {
    expect(statefulSet(THREE).spec.template.metadata.annotations).toBeUndefined();
  });
});

describe('settings of the etcd members', () => {
  const withSettings = (settings: EtcdSettings, replicas = 1): RenderInput =>
    inputOf({ components: { etcd: { local: { replicas, ...settings } } } });
  const hashesOf = (input: RenderInput): readonly unknown[] => {
    const set = withEffectiveHash(
      statefulSet(input),
      hasOwnTiming(input.spec.components.etcd.local ?? {}),
    );
    const { annotations } = set.spec.template.metadata;
    return [annotations?.[EFFECTIVE_HASH], set.metadata.annotations?.[OTHER_SIZE_HASH]];
  };
  const TIMING = { heartbeatIntervalMilliseconds: 50, electionTimeoutMilliseconds: 250 };

  it('are flags, which replace those of the operator in their place', () => {
    const command = statefulSet(
      withSettings({
        quotaBackendBytes: 4_294_967_296,
        snapshotCount: 5_000,
        logLevel: 'warn',
        autoCompactionMode: 'periodic',
        autoCompactionRetention: '30m',
        extraArgs: { 'max-request-bytes': '2000000' },
      }),
    ).spec.template.spec.containers[0]?.command;
    const unchanged = statefulSet(withSettings({})).spec.template.spec.containers[0]?.command ?? [];
    expect(command).toEqual([
      ...unchanged.map((flag) =>
        flag
          .replace('--snapshot-count=10000', '--snapshot-count=5000')
          .replace('--log-level=info', '--log-level=warn'),
      ),
      '--auto-compaction-mode=periodic',
      '--auto-compaction-retention=30m',
      '--max-request-bytes=2000000',
      '--quota-backend-bytes=4294967296',
    ]);
  });

  it('do not become flags when only the operator uses them', () => {
    expect(statefulSet(withSettings({ autoDefragmentation: false }))).toEqual(
      statefulSet(withSettings({})),
    );
  });

  it('keep the timing of the user when the number of members changes', () => {
    const [one, several] = [withSettings(TIMING), withSettings(TIMING, 3)].map(hashesOf);
    expect(one).toEqual([several?.[0], several?.[0]]);
    expect(several?.[1]).toBe(several?.[0]);
  });

  it('restart several members that get the timing of a single one', () => {
    const [before] = hashesOf(withSettings({}, 3));
    expect(hashesOf(withSettings(TIMING, 3))).not.toContain(before);
  });
});

describe('etcd storage', () => {
  const pod = (input: RenderInput): Workload['spec']['template']['spec'] =>
    statefulSet(input).spec.template.spec;
  const dataVolume = (input: RenderInput): unknown =>
    pod(input).volumes?.find(({ name }) => name === 'etcd-data');

  it('uses an emptyDir with the medium and size limit of the spec', () => {
    const emptyDir = { medium: 'Memory', sizeLimit: '1Gi' };
    expect(dataVolume(withVolume({ emptyDir }))).toEqual({ name: 'etcd-data', emptyDir });
  });

  it('runs as root when the data is in a hostPath directory', () => {
    const input = withVolume({ hostPath: { path: '/data', type: 'DirectoryOrCreate' } });
    expect(dataVolume(input)).toEqual({
      name: 'etcd-data',
      hostPath: { path: '/data', type: 'DirectoryOrCreate' },
    });
    expect(pod(input).containers[0]?.['securityContext']).toMatchObject({
      runAsNonRoot: false,
      runAsUser: 0,
    });
  });

  it('uses a claim with labels and annotations under the volume name of the upstream operator', () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const input = withVolume({
      volumeClaim: { metadata: { name: 'mine', labels: { a: 'b' }, annotations: {} }, spec },
    });
    expect(statefulSet(input).spec['volumeClaimTemplates']).toEqual([
      { metadata: { name: 'etcd-data', labels: { a: 'b' } }, spec },
    ]);
    expect(dataVolume(input)).toBeUndefined();
  });

  it('prefers the claim when the spec sets several volume types', () => {
    const input = withVolume({ volumeClaim: { spec: {} }, emptyDir: {}, hostPath: { path: '/x' } });
    expect(dataVolume(input)).toBeUndefined();
    expect(pod(input).containers[0]?.['securityContext']).toMatchObject({ runAsUser: 65532 });
  });
});
