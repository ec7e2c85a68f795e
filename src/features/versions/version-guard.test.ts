import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultSpec, type DefaultedSpec } from '../../api/defaults/defaults.ts';
import type { KarmadaSpec, KarmadaStatus, Versions } from '../../api/karmada.ts';
import { pod, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { guardVersions } from './version-guard.ts';

const NOTHING = { objects: [], pods: [] };
const HOST = { defaultStorageClass: false };
const RUNS = { karmada: 'v1.17.1', kubernetes: 'v1.34.3', etcd: '3.6.6' };

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
    { karmada: 'v1.18.2', kubernetes: 'v1.35.4' },
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
    { karmada: 'v1.20.0' },
    { karmada: 'v1.17.1' },
    ['SkippedMinorBlocked'],
  ],
  ['an etcd downgrade', { etcd: '3.5.35' }, { etcd: '3.6.6' }, ['DowngradeBlocked']],
  [
    'a supported version of Karmada and an unsupported one of Kubernetes',
    { karmada: 'v1.18.2', kubernetes: 'v1.36.0' },
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
  const karmada = 'v1.16.0';
  const from = { versions: { ...RUNS, karmada, kubernetes: 'v1.35.4' } };
  expect(guarded({ karmada, kubernetes: 'v1.36.0' }, from)).toMatchObject({
    tags: { kubernetes: 'v1.34.3' },
    blockedChanges: ['UnsupportedPairBlocked'],
  });
  const odd = { versions: { ...RUNS, karmada, kubernetes: 'v1.36.0' } };
  expect(guarded({ karmada, kubernetes: 'v1.37.0' }, odd).blockedChanges).toEqual([]);
});

it('guardVersions allows the previous Karmada version while the upgrade from it is incomplete', () => {
  const versions = { ...RUNS, karmada: 'v1.18.2' };
  expect(guarded({ karmada: 'v1.17.1' }, { versions }).blockedChanges).toEqual([
    'DowngradeBlocked',
  ]);
  const upgrade = { from: RUNS, to: versions };
  expect(guarded({ karmada: 'v1.17.1' }, { versions, upgrade }).blockedChanges).toEqual([]);
});

it('guardVersions blocks nothing when the control plane was never ready or a version is unknown', () => {
  const status = { versions: RUNS };
  const spec = defaultSpec(specOf({ ...RUNS, kubernetes: 'v1.30.0' }), HOST);
  expect(guardVersions(spec, status, NOTHING)).toEqual({
    spec,
    blockedChanges: [],
    nextReleases: [],
  });
  expect(guarded({ kubernetes: 'latest' }).blockedChanges).toEqual([]);
  expect(guarded({}, { versions: {} }).blockedChanges).toEqual([]);
});

it('guardVersions drops spec.version when it blocks the Karmada version', () => {
  const spec = defaultSpec({ version: 'v1.20.0', components: {} }, HOST);
  const { spec: taken } = guardVersions(spec, STATUS, running(RUNS));
  expect(taken.version).toBeUndefined();
  expect(taken.components.karmadaWebhook).toMatchObject({
    imageRepository: 'docker.io/karmada/karmada-webhook',
    imageTag: 'v1.17.1',
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
    ['karmadaScheduler', 'v9.9.9', ['karmada-scheduler', 'v1.17.1', 'SkippedMinorBlocked']],
    ['karmadaScheduler', 'v1.20.0', ['karmada-scheduler', 'v1.17.1', 'SkippedMinorBlocked']],
    ['karmadaScheduler', 'v1.16.3', ['karmada-scheduler', 'v1.17.1', 'DowngradeBlocked']],
    ['karmadaSearch', 'v9.9.9', ['karmada-search', 'v1.17.1', 'SkippedMinorBlocked']],
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
    ['karmadaScheduler', 'v1.17.1'],
    ['karmadaScheduler', 'v1.17.7'],
    ['karmadaScheduler', 'v1.18.2'],
    ['karmadaScheduler', 'nightly'],
  ] as const)('applies %s %s', (key, tag) => {
    expect(withTag(key, tag)).toEqual({ tag, blockedChanges: [] });
  });

  it('allows the previous version of a component while the upgrade from it is incomplete', () => {
    const { components, ...rest } = specOf({ ...RUNS, karmada: 'v1.18.2' });
    const more = { ...components, karmadaScheduler: { imageTag: 'v1.17.1' } };
    const spec = defaultSpec({ ...rest, components: more }, HOST);
    const versions = { ...RUNS, karmada: 'v1.18.2' };
    const status = { ...STATUS, versions, upgrade: { from: RUNS, to: versions } };
    expect(guardVersions(spec, status, running(versions)).blockedChanges).toEqual([]);
  });
});

describe('guardVersions when the user takes an upgrade back', () => {
  const to = { ...RUNS, karmada: 'v1.18.2', kubernetes: 'v1.35.4' };
  const older = { ...RUNS, kubernetes: 'v1.33.7' };

  it.each<[string, Versions, Partial<KarmadaStatus>, readonly string[]]>([
    ['Karmada and Kubernetes while it is incomplete', RUNS, { upgrade: { from: RUNS, to } }, []],
    ['nothing after it', RUNS, {}, ['DowngradeBlocked', 'DowngradeBlocked']],
    [
      'Karmada, but Kubernetes not by two minor versions',
      older,
      { upgrade: { from: older, to } },
      ['DowngradeBlocked'],
    ],
  ])('returns %s', (_, wanted, status, blocked) => {
    const found = guarded(wanted, { versions: to, ...status }, NOTHING);
    expect(found.blockedChanges).toEqual(blocked);
  });
});

describe('guardVersions with a blocked version of a component whose workload is gone', () => {
  const FAR = { karmada: 'v1.20.0', kubernetes: 'v1.37.0', etcd: '3.8.0' };
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
    const spec = specOf({ ...RUNS, karmada: 'v1.20.0' });
    const components = { ...spec.components, karmadaSearch: { imageTag: 'v1.20.0' } };
    const wanted = defaultSpec({ ...spec, components }, HOST);
    const { spec: taken } = guardVersions(wanted, STATUS, running(RUNS));
    expect(taken.components.karmadaSearch).toMatchObject({ imageTag: 'v1.17.1' });
  });

  it('keeps the newest image of the Pods when they run another build', () => {
    const image = 'registry.example.com:5000/kube-apiserver:v1.34.3-hardened';
    const older = {
      ...pod('karmada-apiserver'),
      spec: { containers: [{ name: 'main', image: 'a:v1.34.1' }] },
    };
    const newer = { ...pod('karmada-apiserver'), spec: { containers: [{ name: 'main', image }] } };
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
    fc.record({ karmada: fc.constantFrom('v1.16.9', 'v1.17.4', 'v1.18.2', 'v1.20.0', 'v2.0.0') }),
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

describe('guardVersions with a Karmada release several minor versions later', () => {
  const OLD = { karmada: 'v1.16.0', kubernetes: 'v1.34.3', etcd: '3.6.6' };
  const NEW = { karmada: 'v1.18.2', kubernetes: 'v1.35.4' };
  const from = (status: Partial<KarmadaStatus> = {}): Partial<KarmadaStatus> => ({
    versions: OLD,
    ...status,
  });
  const chosen = (
    spec: KarmadaSpec,
    status: Partial<KarmadaStatus> = {},
  ): ReturnType<typeof guardVersions> =>
    guardVersions(defaultSpec(spec, HOST), { ...STATUS, ...from(status) }, running(OLD));

  it('upgrades to the release of the operator in between first', () => {
    const { spec, nextReleases, blockedChanges } = chosen(specOf({ ...OLD, ...NEW }));
    expect(tagsOf(spec)).toMatchObject({ karmada: 'v1.17.1', kubernetes: 'v1.35.4' });
    expect([nextReleases, blockedChanges]).toEqual([['v1.18.2'], []]);
  });

  it('uses the CRDs of the release in between, not those that the spec names', () => {
    const crdTarball = { httpSource: { url: 'https://example.com/v1.18.2/crds.tar.gz' } };
    const { spec } = chosen({ version: 'v1.18.2', crdTarball });
    expect(spec).toMatchObject({ version: 'v1.17.1' });
    expect(spec.crdTarball).toBeUndefined();
  });

  it('stays at the release in between until its upgrade is complete', () => {
    const to = { ...OLD, karmada: 'v1.17.1' };
    const upgrade = { from: OLD, to, next: ['v1.18.2'] };
    const there = chosen({ version: 'v1.18.2' }, { versions: to, upgrade });
    expect(there).toMatchObject({ spec: { version: 'v1.17.1' }, nextReleases: ['v1.18.2'] });
    const done = { from: to, to: { ...to, karmada: 'v1.18.2' } };
    const next = chosen({ version: 'v1.18.2' }, { versions: to, upgrade: done });
    expect(next).toMatchObject({ spec: { version: 'v1.18.2' }, nextReleases: [] });
  });

  it.each<[string, KarmadaSpec, string]>([
    ['no release in between', { version: 'v1.20.0' }, 'the operator contains no Karmada 1.19'],
    [
      'more releases in between than a list can have',
      specOf({ ...OLD, karmada: 'v1.9000000000000000.0' }),
      'the operator contains no Karmada 1.19',
    ],
    [
      'a tag with a digest',
      specOf({ ...OLD, karmada: `v1.18.2@sha256:${'0'.repeat(64)}` }),
      'spec.components.karmadaControllerManager.imageTag is more than a release',
    ],
  ])('blocks the upgrade with %s and says why', (_, spec, why) => {
    const { blockedChanges, nextReleases } = chosen(spec);
    expect(nextReleases).toEqual([]);
    const blocked = blockedChanges.find(({ step }) => step === 'karmada-controller-manager');
    expect(blocked).toMatchObject({
      reason: 'SkippedMinorBlocked',
      message: expect.stringContaining(why),
    });
  });
});

describe('guardVersions with an argument that the new release does not have', () => {
  const extraArgs = { 'cluster-lease-duration': '40s', v: '4' };
  const karmadaControllerManager = { imageTag: 'v1.18.2', extraArgs };
  const upgraded = (components: object, host = running(RUNS)) =>
    guardVersions(defaultSpec({ components } as KarmadaSpec, HOST), STATUS, host);

  it('blocks the upgrade and names the field', () => {
    const { spec, blockedChanges } = upgraded({ karmadaControllerManager });
    expect(tagsOf(spec).karmada).toBe('v1.17.1');
    expect(blockedChanges).toEqual([
      {
        step: 'karmada-controller-manager',
        reason: 'UnknownFlagBlocked',
        message:
          'spec.components.karmadaControllerManager.extraArgs: karmada-controller-manager v1.18.2 has no flag "cluster-lease-duration", so it exits at start; remove the flag',
      },
    ]);
  });

  it('names a feature gate', () => {
    const featureGates = { NoSuchGate: true };
    const { blockedChanges } = upgraded({
      karmadaScheduler: { featureGates, imageTag: 'v1.18.2' },
    });
    expect(blockedChanges).toMatchObject([
      {
        reason: 'UnknownFeatureGateBlocked',
        message: expect.stringContaining('spec.components.karmadaScheduler.featureGates: '),
      },
    ]);
  });

  it('names 20 feature gates and the number of the others', () => {
    const gates = Array.from({ length: 4_000 }, (_, index) => `NoSuchGate${index}=true`).join();
    const { blockedChanges } = upgraded({
      karmadaScheduler: { extraArgs: { 'feature-gates': gates }, imageTag: 'v1.18.2' },
    });
    const messages = blockedChanges.map(({ message }) => message);
    expect(messages).toHaveLength(21);
    expect(messages.at(-1)).toBe(
      'spec.components.karmadaScheduler.extraArgs.feature-gates: and 3980 more that karmada-scheduler v1.18.2 does not have; remove the feature gates',
    );
  });

  it('allows feature gates with which a private build runs already, and names the others', () => {
    const own = { imageTag: 'v1.17.1-own', extraArgs: { 'feature-gates': 'Own=true,Mine=false' } };
    const desired = wishOf({ components: { karmadaScheduler: own } } as KarmadaSpec);
    const { host } = snapshotOf(desired, [...desired.steps]);
    const extraArgs = { 'feature-gates': 'Own=true,Mine=true,Other=true' };
    const karmadaScheduler = { imageTag: 'v1.18.2-own', extraArgs };
    expect(upgraded({ karmadaScheduler }, host).blockedChanges).toMatchObject([
      { message: expect.stringContaining('"Other"') },
    ]);
  });

  it('allows an argument with which a private build runs already', () => {
    const own = { imageTag: 'v1.17.1-own', extraArgs: { 'own-flag': 'true' } };
    const desired = wishOf({ components: { karmadaScheduler: own } } as KarmadaSpec);
    const { host } = snapshotOf(desired, [...desired.steps]);
    const karmadaScheduler = { ...own, imageTag: 'v1.18.2-own' };
    expect(upgraded({ karmadaScheduler }, host).blockedChanges).toEqual([]);
  });
});

describe('guardVersions in a rollback', () => {
  const NEWER = { karmada: 'v1.17.1', kubernetes: 'v1.35.4', etcd: '3.6.6' };

  /** Result of the guard for the last ready spec, while newer versions run. */
  const returned = (lastReady: Versions, versions: Versions, isRollback = true) => {
    const spec = defaultSpec(specOf(lastReady), HOST);
    const found = guardVersions(spec, { ...STATUS, versions }, running(versions), isRollback);
    const reasons = found.blockedChanges.map(({ reason }) => reason);
    return { tags: tagsOf(found.spec), reasons: [...new Set(reasons)] };
  };

  it('allows one minor version down for Karmada and Kubernetes', () => {
    expect(returned(RUNS, NEWER)).toEqual({ tags: RUNS, reasons: [] });
    expect(returned(RUNS, NEWER, false)).toEqual({ tags: NEWER, reasons: ['DowngradeBlocked'] });
  });

  it('keeps the running versions when more than one minor version lies between', () => {
    const versions = { ...NEWER, kubernetes: 'v1.36.0' };
    const { tags, reasons } = returned({ ...RUNS, karmada: 'v1.17.1' }, versions);
    expect(tags.kubernetes).toBe('v1.36.0');
    expect(reasons).toEqual(['DowngradeBlocked']);
  });

  it('never allows an older etcd', () => {
    const { tags, reasons } = returned({ ...RUNS, etcd: '3.5.21' }, NEWER);
    expect(tags).toEqual({ ...RUNS, etcd: '3.6.6' });
    expect(reasons).toEqual(['DowngradeBlocked']);
  });
});
