import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultSpec, type DefaultedSpec } from '../../api/defaults.ts';
import type { KarmadaSpec, KarmadaStatus, Versions } from '../../api/karmada.ts';
import { pod, snapshotOf, wishOf } from '../__fixtures__/instance.ts';
import type { Snapshot } from '../snapshot.ts';
import { guardVersions } from './version-guard.ts';

const NOTHING = { objects: [], pods: [] };
const HOST = { defaultStorageClass: false };
const RUNS = { karmada: 'v1.16.0', kubernetes: 'v1.34.3', etcd: '3.6.6' };

const specOf = (
  { karmada, kubernetes, etcd }: Versions,
  more: Partial<KarmadaSpec> = {},
): KarmadaSpec => ({
  ...more,
  components: {
    etcd: { local: { imageTag: `${etcd ?? ''}-0` } },
    karmadaAPIServer: { imageTag: kubernetes ?? '' },
    karmadaControllerManager: { imageTag: karmada ?? '' },
  },
});

const tagsOf = ({ components: { etcd, ...components } }: DefaultedSpec): Versions => ({
  karmada: components.karmadaScheduler.imageTag,
  kubernetes: components.kubeControllerManager.imageTag,
  etcd: etcd.local?.imageTag.replace('-0', '') ?? '',
});

const STATUS: KarmadaStatus = { versions: RUNS, secretRef: { name: 'a', namespace: 'b' } };

/** Host cluster with all components in these versions. */
function running(versions: Versions): Snapshot['host'] {
  const desiredState = wishOf(specOf(versions));
  return snapshotOf(desiredState, [...desiredState.steps]).host;
}

/** Result of the guard for a spec with these versions. */
function guarded(
  wanted: Partial<Versions>,
  more: Partial<KarmadaStatus> = {},
  host: Pick<Snapshot['host'], 'objects' | 'pods'> = running(RUNS),
) {
  const spec = defaultSpec(specOf({ ...RUNS, ...wanted }), HOST);
  const { spec: taken, blockedChanges } = guardVersions(spec, { ...STATUS, ...more }, host);
  return {
    tags: tagsOf(taken),
    blockedChanges: blockedChanges.map(({ reason }) => reason),
    taken,
    spec,
  };
}

it.each<[string, Partial<Versions>, Partial<Versions>, readonly string[]]>([
  ['no change', {}, {}, []],
  [
    'one minor version up for Karmada and Kubernetes',
    { karmada: 'v1.17.1', kubernetes: 'v1.35.4' },
    {},
    [],
  ],
  ['a patch version down', { kubernetes: 'v1.34.1' }, {}, []],
  [
    'a Kubernetes downgrade',
    { kubernetes: 'v1.33.9' },
    { kubernetes: 'v1.34.3' },
    ['DowngradeBlocked'],
  ],
  [
    'a skipped minor version of Kubernetes',
    { kubernetes: 'v1.36.0' },
    { kubernetes: 'v1.34.3' },
    ['SkippedMinorBlocked'],
  ],
  [
    'a skipped minor version of Karmada',
    { karmada: 'v1.18.0' },
    { karmada: 'v1.16.0' },
    ['SkippedMinorBlocked'],
  ],
  ['an etcd downgrade', { etcd: '3.5.35' }, { etcd: '3.6.6' }, ['DowngradeBlocked']],
  [
    'a supported version of Karmada and an unsupported one of Kubernetes',
    { karmada: 'v1.17.1', kubernetes: 'v1.36.0' },
    { kubernetes: 'v1.34.3' },
    ['SkippedMinorBlocked'],
  ],
])(
  'guardVersions blocks only unsupported versions when the spec has %s',
  (_, wanted, kept, blockedChanges) => {
    const found = guarded(wanted);
    expect(found.tags).toEqual({ ...RUNS, ...wanted, ...kept });
    expect(found.blockedChanges).toEqual(blockedChanges);
  },
);

it('guardVersions blocks an unsupported pair unless an unsupported pair runs already', () => {
  const versions = { ...RUNS, kubernetes: 'v1.35.4' };
  const from = { versions };
  expect(guarded({ kubernetes: 'v1.36.0' }, from)).toMatchObject({
    tags: { kubernetes: 'v1.34.3' },
    blockedChanges: ['UnsupportedPairBlocked'],
  });
  const odd = { versions: { ...RUNS, kubernetes: 'v1.36.0' } };
  expect(guarded({ kubernetes: 'v1.37.0' }, odd).blockedChanges).toEqual([]);
});

it('guardVersions allows the previous Karmada version while the upgrade from it is incomplete', () => {
  const versions = { ...RUNS, karmada: 'v1.17.1' };
  expect(guarded({ karmada: 'v1.16.0' }, { versions }).blockedChanges).toEqual([
    'DowngradeBlocked',
  ]);
  const upgrade = { from: RUNS, to: versions };
  expect(guarded({ karmada: 'v1.16.0' }, { versions, upgrade }).blockedChanges).toEqual([]);
});

it('guardVersions blocks nothing when the control plane was never ready or a version is unknown', () => {
  const status = { versions: RUNS };
  const spec = defaultSpec(specOf({ ...RUNS, kubernetes: 'v1.30.0' }), HOST);
  expect(guardVersions(spec, status, NOTHING)).toEqual({ spec, blockedChanges: [] });
  expect(guarded({ kubernetes: 'latest' }).blockedChanges).toEqual([]);
  expect(guarded({}, { versions: {} }).blockedChanges).toEqual([]);
});

it('guardVersions drops spec.version when it blocks the Karmada version', () => {
  const spec = defaultSpec({ version: 'v1.18.0', components: {} }, HOST);
  const { spec: taken } = guardVersions(spec, STATUS, running(RUNS));
  expect(taken.version).toBeUndefined();
  expect(taken.components.karmadaWebhook).toMatchObject({
    imageRepository: 'docker.io/karmada/karmada-webhook',
    imageTag: 'v1.16.0',
  });
});

describe('guardVersions with the tag of a single component', () => {
  const withTag = (
    key: 'karmadaScheduler' | 'kubeControllerManager' | 'karmadaSearch',
    tag: string,
  ) => {
    const { components, ...rest } = specOf(RUNS);
    const more = { ...components, [key]: { imageTag: tag } };
    const spec = defaultSpec({ ...rest, components: more }, HOST);
    const { spec: taken, blockedChanges } = guardVersions(spec, STATUS, running(RUNS));
    const { imageTag } = taken.components[key] as { imageTag: string };
    return { tag: imageTag, blockedChanges };
  };

  const MANAGER = 'kubeControllerManager';

  it.each([
    ['karmadaScheduler', 'v9.9.9', ['karmada-scheduler', 'v1.16.0', 'SkippedMinorBlocked']],
    ['karmadaScheduler', 'v1.18.0', ['karmada-scheduler', 'v1.16.0', 'SkippedMinorBlocked']],
    ['karmadaScheduler', 'v1.15.3', ['karmada-scheduler', 'v1.16.0', 'DowngradeBlocked']],
    ['karmadaSearch', 'v9.9.9', ['karmada-search', 'v1.16.0', 'SkippedMinorBlocked']],
    [MANAGER, 'v1.37.0', ['kube-controller-manager', 'v1.34.3', 'SkippedMinorBlocked']],
  ] as const)('blocks %s %s and keeps the running image', (key, tag, [step, kept, reason]) => {
    expect(withTag(key, tag)).toMatchObject({
      tag: kept,
      blockedChanges: [
        { step, reason, message: expect.stringContaining(`spec.components.${key}.imageTag`) },
      ],
    });
  });

  it.each([
    ['karmadaScheduler', 'v1.16.0'],
    ['karmadaScheduler', 'v1.16.7'],
    ['karmadaScheduler', 'v1.17.1'],
    ['karmadaScheduler', 'nightly'],
  ] as const)('applies %s %s', (key, tag) => {
    expect(withTag(key, tag)).toEqual({ tag, blockedChanges: [] });
  });

  it('allows the previous version of a component while the upgrade from it is incomplete', () => {
    const { components, ...rest } = specOf({ ...RUNS, karmada: 'v1.17.1' });
    const more = { ...components, karmadaScheduler: { imageTag: 'v1.16.0' } };
    const spec = defaultSpec({ ...rest, components: more }, HOST);
    const versions = { ...RUNS, karmada: 'v1.17.1' };
    const status = { ...STATUS, versions, upgrade: { from: RUNS, to: versions } };
    expect(guardVersions(spec, status, running(versions)).blockedChanges).toEqual([]);
  });
});

describe('guardVersions with a blocked version of a component whose workload is gone', () => {
  const FAR = { karmada: 'v1.18.0', kubernetes: 'v1.37.0', etcd: '3.8.0' };
  const HELD = ['SkippedMinorBlocked', 'SkippedMinorBlocked', 'SkippedMinorBlocked'];

  it('keeps the version of the status when no Pod exists', () => {
    const found = guarded(FAR, {}, NOTHING);
    expect(found.tags).toEqual(RUNS);
    expect(found.blockedChanges).toEqual(HELD);
    expect(found.taken.components.etcd.local?.imageTag).toBe('3.6.6-0');
    expect(found.taken.components.karmadaAPIServer).toMatchObject({
      imageRepository: 'registry.k8s.io/kube-apiserver',
      imageTag: 'v1.34.3',
    });
  });

  it('keeps the running version for a new add-on', () => {
    const spec = specOf({ ...RUNS, karmada: 'v1.18.0' });
    const components = { ...spec.components, karmadaSearch: { imageTag: 'v1.18.0' } };
    const wanted = defaultSpec({ ...spec, components }, HOST);
    const { spec: taken } = guardVersions(wanted, STATUS, running(RUNS));
    expect(taken.components.karmadaSearch).toMatchObject({ imageTag: 'v1.16.0' });
  });

  it('keeps the newest image of the Pods when they run another build', () => {
    const image = 'registry.example.com:5000/kube-apiserver:v1.34.3-hardened';
    const older = { ...pod('karmada-apiserver'), spec: { containers: [{ image: 'a:v1.34.1' }] } };
    const newer = { ...pod('karmada-apiserver'), spec: { containers: [{ image }] } };
    const host = { objects: [], pods: [older, newer] };
    const { taken } = guarded({ kubernetes: 'v1.37.0' }, {}, host);
    expect(taken.components.karmadaAPIServer).toMatchObject({
      imageRepository: 'registry.example.com:5000/kube-apiserver',
      imageTag: 'v1.34.3-hardened',
    });
  });

  it('keeps the target version of an upgrade in progress', () => {
    const to = { ...RUNS, kubernetes: 'v1.35.4' };
    const found = guarded({ kubernetes: 'v1.37.0' }, { upgrade: { from: RUNS, to } }, NOTHING);
    expect(found.tags.kubernetes).toBe('v1.35.4');
    expect(found.blockedChanges).toEqual(['SkippedMinorBlocked']);
  });
});

it('guardVersions returns either the spec version or the running one for any subset of the workloads', () => {
  const workloads = running(RUNS).objects.filter(({ kind }) => /Deployment|StatefulSet/.test(kind));
  const moved = fc.oneof(
    fc.record({ karmada: fc.constantFrom('v1.15.9', 'v1.16.4', 'v1.17.1', 'v1.18.0', 'v2.0.0') }),
    fc.record({ kubernetes: fc.constantFrom('v1.30.1', 'v1.34.9', 'v1.35.4', 'v1.36.0') }),
    fc.record({ etcd: fc.constantFrom('3.5.35', '3.6.9', '3.7.0', '3.8.0') }),
  );
  fc.assert(
    fc.property(fc.subarray(workloads), moved, (objects, wanted) => {
      const found = guarded(wanted, {}, { objects, pods: [] });
      const kept = found.blockedChanges.length > 0;
      expect(found.tags).toEqual(kept ? RUNS : { ...RUNS, ...wanted });
    }),
  );
});
