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

/** All that runs in these versions. */
function running(versions: Versions): Snapshot['host'] {
  const wish = wishOf(specOf(versions));
  return snapshotOf(wish, [...wish.steps]).host;
}

/** What becomes of a spec that asks for other versions than those that run. */
function guarded(
  wanted: Partial<Versions>,
  more: Partial<KarmadaStatus> = {},
  host: Pick<Snapshot['host'], 'objects' | 'pods'> = running(RUNS),
) {
  const spec = defaultSpec(specOf({ ...RUNS, ...wanted }), HOST);
  const { spec: taken, holds } = guardVersions(spec, { ...STATUS, ...more }, host);
  return { tags: tagsOf(taken), holds: holds.map(({ reason }) => reason), taken, spec };
}

it.each<[string, Partial<Versions>, Partial<Versions>, readonly string[]]>([
  ['the same', {}, {}, []],
  ['one minor of each', { karmada: 'v1.17.1', kubernetes: 'v1.35.4' }, {}, []],
  ['a patch back', { kubernetes: 'v1.34.1' }, {}, []],
  ['Kubernetes back', { kubernetes: 'v1.33.9' }, { kubernetes: 'v1.34.3' }, ['DowngradeHeld']],
  ['Kubernetes two up', { kubernetes: 'v1.36.0' }, { kubernetes: 'v1.34.3' }, ['SkippedMinorHeld']],
  ['Karmada two up', { karmada: 'v1.18.0' }, { karmada: 'v1.16.0' }, ['SkippedMinorHeld']],
  ['etcd back', { etcd: '3.5.35' }, { etcd: '3.6.6' }, ['DowngradeHeld']],
  [
    'one too far, the other taken up',
    { karmada: 'v1.17.1', kubernetes: 'v1.36.0' },
    { kubernetes: 'v1.34.3' },
    ['SkippedMinorHeld'],
  ],
])('versions that may not follow are not taken up, others are: %s', (_, wanted, kept, holds) => {
  const found = guarded(wanted);
  expect(found.tags).toEqual({ ...RUNS, ...wanted, ...kept });
  expect(found.holds).toEqual(holds);
});

it('a pair that is not made for each other is not entered, one that runs may stay', () => {
  const versions = { ...RUNS, kubernetes: 'v1.35.4' };
  const from = { versions };
  expect(guarded({ kubernetes: 'v1.36.0' }, from)).toMatchObject({
    tags: { kubernetes: 'v1.34.3' },
    holds: ['UnsupportedPairHeld'],
  });
  const odd = { versions: { ...RUNS, kubernetes: 'v1.36.0' } };
  expect(guarded({ kubernetes: 'v1.37.0' }, odd).holds).toEqual([]);
});

it('Karmada may go back to where an unfinished upgrade came from', () => {
  const versions = { ...RUNS, karmada: 'v1.17.1' };
  expect(guarded({ karmada: 'v1.16.0' }, { versions }).holds).toEqual(['DowngradeHeld']);
  const upgrade = { from: RUNS, to: versions };
  expect(guarded({ karmada: 'v1.16.0' }, { versions, upgrade }).holds).toEqual([]);
});

it('nothing is held of an instance that was never ready, or of versions that nobody knows', () => {
  const status = { versions: RUNS };
  const spec = defaultSpec(specOf({ ...RUNS, kubernetes: 'v1.30.0' }), HOST);
  expect(guardVersions(spec, status, NOTHING)).toEqual({ spec, holds: [] });
  expect(guarded({ kubernetes: 'latest' }).holds).toEqual([]);
  expect(guarded({}, { versions: {} }).holds).toEqual([]);
});

it('a version that is not taken up chooses no CRDs either', () => {
  const spec = defaultSpec({ version: 'v1.18.0', components: {} }, HOST);
  const { spec: taken } = guardVersions(spec, STATUS, running(RUNS));
  expect(taken.version).toBeUndefined();
  expect(taken.components.karmadaWebhook).toMatchObject({
    imageRepository: 'docker.io/karmada/karmada-webhook',
    imageTag: 'v1.16.0',
  });
});

describe('guardVersions with a tag of a single component', () => {
  const withTag = (
    key: 'karmadaScheduler' | 'kubeControllerManager' | 'karmadaSearch',
    tag: string,
  ) => {
    const { components, ...rest } = specOf(RUNS);
    const more = { ...components, [key]: { imageTag: tag } };
    const spec = defaultSpec({ ...rest, components: more }, HOST);
    const { spec: taken, holds } = guardVersions(spec, STATUS, running(RUNS));
    const { imageTag } = taken.components[key] as { imageTag: string };
    return { tag: imageTag, holds };
  };

  const MANAGER = 'kubeControllerManager';

  it.each([
    ['karmadaScheduler', 'v9.9.9', ['karmada-scheduler', 'v1.16.0', 'SkippedMinorHeld']],
    ['karmadaScheduler', 'v1.18.0', ['karmada-scheduler', 'v1.16.0', 'SkippedMinorHeld']],
    ['karmadaScheduler', 'v1.15.3', ['karmada-scheduler', 'v1.16.0', 'DowngradeHeld']],
    ['karmadaSearch', 'v9.9.9', ['karmada-search', 'v1.16.0', 'SkippedMinorHeld']],
    [MANAGER, 'v1.37.0', ['kube-controller-manager', 'v1.34.3', 'SkippedMinorHeld']],
  ] as const)('blocks %s %s and keeps what runs', (key, tag, [step, kept, reason]) => {
    expect(withTag(key, tag)).toMatchObject({
      tag: kept,
      holds: [
        { step, reason, message: expect.stringContaining(`spec.components.${key}.imageTag`) },
      ],
    });
  });

  it.each([
    ['karmadaScheduler', 'v1.16.0'],
    ['karmadaScheduler', 'v1.16.7'],
    ['karmadaScheduler', 'v1.17.1'],
    ['karmadaScheduler', 'nightly'],
  ] as const)('takes %s %s', (key, tag) => {
    expect(withTag(key, tag)).toEqual({ tag, holds: [] });
  });

  it('lets a component go back to where an unfinished upgrade came from', () => {
    const { components, ...rest } = specOf({ ...RUNS, karmada: 'v1.17.1' });
    const more = { ...components, karmadaScheduler: { imageTag: 'v1.16.0' } };
    const spec = defaultSpec({ ...rest, components: more }, HOST);
    const versions = { ...RUNS, karmada: 'v1.17.1' };
    const status = { ...STATUS, versions, upgrade: { from: RUNS, to: versions } };
    expect(guardVersions(spec, status, running(versions)).holds).toEqual([]);
  });
});

describe('a held version of a component whose workload is gone', () => {
  const FAR = { karmada: 'v1.18.0', kubernetes: 'v1.37.0', etcd: '3.8.0' };
  const HELD = ['SkippedMinorHeld', 'SkippedMinorHeld', 'SkippedMinorHeld'];

  it('is not installed: the version in the status is', () => {
    const found = guarded(FAR, {}, NOTHING);
    expect(found.tags).toEqual(RUNS);
    expect(found.holds).toEqual(HELD);
    expect(found.taken.components.etcd.local?.imageTag).toBe('3.6.6-0');
    expect(found.taken.components.karmadaAPIServer).toMatchObject({
      imageRepository: 'registry.k8s.io/kube-apiserver',
      imageTag: 'v1.34.3',
    });
  });

  it('is not installed by an add-on that is new either', () => {
    const spec = specOf({ ...RUNS, karmada: 'v1.18.0' });
    const components = { ...spec.components, karmadaSearch: { imageTag: 'v1.18.0' } };
    const wanted = defaultSpec({ ...spec, components }, HOST);
    const { spec: taken } = guardVersions(wanted, STATUS, running(RUNS));
    expect(taken.components.karmadaSearch).toMatchObject({ imageTag: 'v1.16.0' });
  });

  it('is not installed while the pods of another build still run', () => {
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

  it('does not undo an upgrade that was under way', () => {
    const to = { ...RUNS, kubernetes: 'v1.35.4' };
    const found = guarded({ kubernetes: 'v1.37.0' }, { upgrade: { from: RUNS, to } }, NOTHING);
    expect(found.tags.kubernetes).toBe('v1.35.4');
    expect(found.holds).toEqual(['SkippedMinorHeld']);
  });
});

it('installs either the wanted version or the running one, whatever is left of the instance', () => {
  const workloads = running(RUNS).objects.filter(({ kind }) => /Deployment|StatefulSet/.test(kind));
  const moved = fc.oneof(
    fc.record({ karmada: fc.constantFrom('v1.15.9', 'v1.16.4', 'v1.17.1', 'v1.18.0', 'v2.0.0') }),
    fc.record({ kubernetes: fc.constantFrom('v1.30.1', 'v1.34.9', 'v1.35.4', 'v1.36.0') }),
    fc.record({ etcd: fc.constantFrom('3.5.35', '3.6.9', '3.7.0', '3.8.0') }),
  );
  fc.assert(
    fc.property(fc.subarray(workloads), moved, (objects, wanted) => {
      const found = guarded(wanted, {}, { objects, pods: [] });
      const kept = found.holds.length > 0;
      expect(found.tags).toEqual(kept ? RUNS : { ...RUNS, ...wanted });
    }),
  );
});
