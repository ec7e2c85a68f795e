import { describe, expect, it } from '@jest/globals';
import { APPLIED_HASH } from '../../kubernetes/compare.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { live, pod, statefulSetOf } from '../__fixtures__/instance.ts';
import type { DesiredObject } from '../desired.ts';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import { storageReplacement } from './plan-storage.ts';

const NAME = 'karmada-demo';

const claimSpec = (more: object = {}): object => ({
  storageClassName: 'typo',
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  ...more,
});

const onClaim = (more?: object): object => ({ volumeClaim: { spec: claimSpec(more) } });

const statefulSet = (volumeData: object): DesiredObject => statefulSetOf({ volumeData });

/** A pod of etcd that no node takes, as its claim has no volume. */
function unscheduled(ordinal: number): KubernetesObject {
  const status = { conditions: [{ type: 'PodScheduled', status: 'False' }] };
  return { ...pod('etcd', { name: `karmada-demo-etcd-${ordinal}` }), status };
}

function ran(ordinal: number): KubernetesObject {
  const containerStatuses = [{ restartCount: 1, state: { waiting: {} } }];
  return { ...unscheduled(ordinal), status: { containerStatuses } };
}

interface ClaimOptions {
  readonly spec?: object;
  readonly phase?: string;
  readonly metadata?: object;
}

function claim(
  ordinal: number,
  { spec, phase = 'Pending', metadata }: ClaimOptions = {},
): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `etcd-data-karmada-demo-etcd-${ordinal}`,
      namespace: 'team',
      labels: { [INSTANCE]: NAME, [COMPONENT]: 'etcd' },
      ...metadata,
    },
    spec: { ...claimSpec(), ...spec },
    status: { phase },
  };
}

const deletionTimestamp = '2026-01-01T00:00:00Z';
const bound = { phase: 'Bound', spec: { volumeName: 'pv-1' } };
const [typo, right] = [onClaim(), onClaim({ storageClassName: 'fast' })];

/** Pods and claims. */
type There = readonly [readonly KubernetesObject[], readonly KubernetesObject[]];

/** Names of what goes; undefined when nothing is replaced. */
type Gone = readonly string[] | undefined;

describe('storage of etcd to which nothing was written', () => {
  type Case = [string, object, There, Gone];
  it.each<Case>([
    ['goes when its class changes', right, [[unscheduled(0)], [claim(0)]], ['karmada-demo-etcd']],
    [
      'goes for a claim without a class',
      onClaim({ storageClassName: undefined }),
      [[unscheduled(0)], [claim(0)]],
      ['karmada-demo-etcd'],
    ],
    ['goes for emptyDir', { emptyDir: {} }, [[unscheduled(0)], [claim(0)]], ['karmada-demo-etcd']],
    ['stays when it is as wanted', typo, [[unscheduled(0)], [claim(0)]], undefined],
    ['stays when its claim has a volume', right, [[unscheduled(0)], [claim(0, bound)]], undefined],
    [
      'stays when its claim lost its volume',
      right,
      [[unscheduled(0)], [claim(0, { phase: 'Lost' })]],
      undefined,
    ],
    [
      'stays when a volume was chosen',
      right,
      [[unscheduled(0)], [claim(0, { spec: { selector: {} } })]],
      undefined,
    ],
    [
      'stays when another claim has a volume',
      right,
      [[unscheduled(0)], [claim(0), claim(1, bound)]],
      undefined,
    ],
    ['stays when a member ran', right, [[ran(0)], [claim(0)]], undefined],
    ['stays when no member is seen', right, [[], [claim(0)]], undefined],
    ['stays when no claim is seen', right, [[unscheduled(0)], []], undefined],
    [
      'stays when the claim of a member is not seen',
      right,
      [[unscheduled(0), unscheduled(1)], [claim(0)]],
      undefined,
    ],
  ])('%s', (_, wanted, [pods, claims], gone) => {
    const found = storageReplacement(NAME, statefulSet(wanted), {
      statefulSet: live(statefulSet(typo)),
      pods,
      claims,
    });
    expect(found?.remove.map(({ metadata }) => metadata.name)).toEqual(gone);
  });

  it('stays when it was made for this very wish, however the API server writes that', () => {
    const wanted = statefulSet(right);
    const object = live(statefulSet(typo));
    const annotations = { ...object.metadata.annotations, [APPLIED_HASH]: wanted.hash };
    const made = { ...object, metadata: { ...object.metadata, annotations } };
    const there = { statefulSet: made, pods: [unscheduled(0)], claims: [claim(0)] };
    expect(storageReplacement(NAME, wanted, there)).toBeUndefined();
  });

  it('is waited for while it ends', () => {
    const object = live(statefulSet(typo));
    const ending = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
    const found = storageReplacement(NAME, statefulSet(right), {
      statefulSet: ending,
      pods: [unscheduled(0)],
      claims: [claim(0)],
    });
    expect(found?.remove).toEqual([]);
  });

  it.each([
    ['emptyDir', { emptyDir: {} }],
    ['a directory of a node', { hostPath: { path: '/var/lib/etcd' } }],
  ])('is not told of %s', (_, volumeData) => {
    const there = {
      statefulSet: live(statefulSet(volumeData)),
      pods: [unscheduled(0)],
      claims: [],
    };
    expect(storageReplacement(NAME, statefulSet(right), there)).toBeUndefined();
  });
});

describe('claims without a StatefulSet', () => {
  type Case = [string, object, There, Gone];
  const [first, second] = [0, 1].map((n) => `etcd-data-karmada-demo-etcd-${n}`) as [string, string];
  it.each<Case>([
    [
      'go when they have no volume and are others',
      right,
      [[], [claim(0), claim(1)]],
      [first, second],
    ],
    [
      'go when the class is left open',
      onClaim({ storageClassName: undefined }),
      [[], [claim(0)]],
      [first],
    ],
    ['go for emptyDir', { emptyDir: {} }, [[], [claim(0)]], [first]],
    ['go without those with a volume', right, [[], [claim(0, bound), claim(1)]], [second]],
    [
      'are waited for while they end',
      right,
      [[], [claim(0, { metadata: { deletionTimestamp } })]],
      [],
    ],
    ['stay while a pod may use them', right, [[unscheduled(0)], [claim(0)]], []],
    ['stay when they are as wanted', typo, [[], [claim(0)]], undefined],
    ['stay when they have volumes', right, [[], [claim(0, bound)]], undefined],
    [
      'stay when their volume was chosen',
      right,
      [[], [claim(0, { spec: { volumeName: 'pv-1' } })]],
      undefined,
    ],
    [
      'stay when they wait for a volume made by hand',
      right,
      [[], [claim(0, { spec: { storageClassName: '' } })]],
      undefined,
    ],
    [
      "stay when they are somebody else's",
      right,
      [[], [claim(0, { metadata: { labels: {} } })]],
      undefined,
    ],
    ['may be none', right, [[], []], undefined],
  ])('%s', (_, wanted, [pods, claims], gone) => {
    const there = { statefulSet: undefined, pods, claims };
    const found = storageReplacement(NAME, statefulSet(wanted), there);
    expect(found?.remove.map(({ metadata }) => metadata.name)).toEqual(gone);
  });

  it('are named when a finalizer keeps them', () => {
    const metadata = {
      deletionTimestamp,
      finalizers: ['kubernetes.io/pvc-protection', 'x.io/keep'],
    };
    const there = { statefulSet: undefined, pods: [], claims: [claim(0, { metadata })] };
    const found = storageReplacement(NAME, statefulSet(right), there);
    expect(found?.holds).toEqual([
      {
        step: 'etcd',
        reason: 'EtcdClaimKept',
        message: expect.stringMatching(/etcd-data-karmada-demo-etcd-0, .*finalizer x\.io\/keep$/),
      },
    ]);
  });
});
