import { expect, it } from '@jest/globals';
import { defaultSpec, type DefaultedSpec } from '../../api/defaults.ts';
import type { KarmadaSpec, KarmadaStatus, Versions } from '../../api/karmada.ts';
import { snapshotOf, wishOf } from '../__fixtures__/instance.ts';
import { guardVersions } from './version-guard.ts';

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

/** What becomes of a spec that asks for other versions than those that run. */
function guarded(wanted: Partial<Versions>, more: Partial<KarmadaStatus> = {}) {
  const { objects } = snapshotOf(wishOf(specOf(RUNS)), [...wishOf(specOf(RUNS)).steps]).host;
  const spec = defaultSpec(specOf({ ...RUNS, ...wanted }), HOST);
  const status = { versions: RUNS, secretRef: { name: 'a', namespace: 'b' }, ...more };
  const { spec: taken, holds } = guardVersions(spec, status, objects);
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
])(
  '6.3 versions that may not follow are not taken up, others are: %s',
  (_, wanted, kept, holds) => {
    const found = guarded(wanted);
    expect(found.tags).toEqual({ ...RUNS, ...wanted, ...kept });
    expect(found.holds).toEqual(holds);
  },
);

it('6.3 a pair that is not made for each other is not entered, one that runs may stay', () => {
  const versions = { ...RUNS, kubernetes: 'v1.35.4' };
  const from = { versions };
  expect(guarded({ kubernetes: 'v1.36.0' }, from)).toMatchObject({
    tags: { kubernetes: 'v1.34.3' },
    holds: ['UnsupportedPairHeld'],
  });
  const odd = { versions: { ...RUNS, kubernetes: 'v1.36.0' } };
  expect(guarded({ kubernetes: 'v1.37.0' }, odd).holds).toEqual([]);
});

it('6.3 Karmada may go back to where an unfinished upgrade came from', () => {
  const versions = { ...RUNS, karmada: 'v1.17.1' };
  expect(guarded({ karmada: 'v1.16.0' }, { versions }).holds).toEqual(['DowngradeHeld']);
  const upgrade = { from: RUNS, to: versions };
  expect(guarded({ karmada: 'v1.16.0' }, { versions, upgrade }).holds).toEqual([]);
});

it('6.3 nothing is held of an instance that was never ready, or of versions that nobody knows', () => {
  const status = { versions: RUNS };
  const spec = defaultSpec(specOf({ ...RUNS, kubernetes: 'v1.30.0' }), HOST);
  expect(guardVersions(spec, status, [])).toEqual({ spec, holds: [] });
  expect(guarded({ kubernetes: 'latest' }).holds).toEqual([]);
  expect(guarded({}, { versions: {} }).holds).toEqual([]);
});

it('6.3 a version that is not taken up chooses no CRDs either', () => {
  const { objects } = snapshotOf(wishOf(specOf(RUNS)), [...wishOf(specOf(RUNS)).steps]).host;
  const spec = defaultSpec({ version: 'v1.18.0', components: {} }, HOST);
  const status = { versions: RUNS, secretRef: { name: 'a', namespace: 'b' } };
  const { spec: taken } = guardVersions(spec, status, objects);
  expect(taken.version).toBeUndefined();
  expect(taken.components.karmadaWebhook).toMatchObject({
    imageRepository: 'docker.io/karmada/karmada-webhook',
    imageTag: 'v1.16.0',
  });
});
