import { describe, expect, it } from '@jest/globals';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, pod, statefulSetOf } from '../../instance/__fixtures__/instance.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
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

/** An unscheduled etcd Pod, because its PVC is unbound. */
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

/** Pods and PVCs. */
type There = readonly [readonly KubernetesObject[], readonly KubernetesObject[]];

/** Names of deleted objects; undefined if nothing is replaced. */
type Gone = readonly string[] | undefined;

describe('storageReplacement with a StatefulSet', () => {
  type Case = [string, object, There, Gone];
  it.each<Case>([
    [
      'deletes the StatefulSet when the StorageClass changes',
      right,
      [[unscheduled(0)], [claim(0)]],
      ['karmada-demo-etcd'],
    ],
    [
      'deletes the StatefulSet when the StorageClass is removed',
      onClaim({ storageClassName: undefined }),
      [[unscheduled(0)], [claim(0)]],
      ['karmada-demo-etcd'],
    ],
    [
      'deletes the StatefulSet when the storage changes to emptyDir',
      { emptyDir: {} },
      [[unscheduled(0)], [claim(0)]],
      ['karmada-demo-etcd'],
    ],
    [
      'keeps the StatefulSet when its storage is up to date',
      typo,
      [[unscheduled(0)], [claim(0)]],
      undefined,
    ],
    [
      'keeps the StatefulSet when its PVC is bound',
      right,
      [[unscheduled(0)], [claim(0, bound)]],
      undefined,
    ],
    [
      'keeps the StatefulSet when its PVC lost its volume',
      right,
      [[unscheduled(0)], [claim(0, { phase: 'Lost' })]],
      undefined,
    ],
    [
      'keeps the StatefulSet when its PVC has a selector',
      right,
      [[unscheduled(0)], [claim(0, { spec: { selector: {} } })]],
      undefined,
    ],
    [
      'keeps the StatefulSet when another PVC is bound',
      right,
      [[unscheduled(0)], [claim(0), claim(1, bound)]],
      undefined,
    ],
    ['keeps the StatefulSet when a member ran', right, [[ran(0)], [claim(0)]], undefined],
    ['keeps the StatefulSet when no member is known', right, [[], [claim(0)]], undefined],
    ['keeps the StatefulSet when no PVC is known', right, [[unscheduled(0)], []], undefined],
    [
      'keeps the StatefulSet when the PVC of a member is unknown',
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

  it('keeps the StatefulSet when it was applied with the desired intent', () => {
    const wanted = statefulSet(right);
    const object = live(statefulSet(typo));
    const annotations = { ...object.metadata.annotations, [APPLIED_HASH]: wanted.hash };
    const made = { ...object, metadata: { ...object.metadata, annotations } };
    const there = { statefulSet: made, pods: [unscheduled(0)], claims: [claim(0)] };
    expect(storageReplacement(NAME, wanted, there)).toBeUndefined();
  });

  it('waits when the StatefulSet is terminating', () => {
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
    ['hostPath', { hostPath: { path: '/var/lib/etcd' } }],
  ])('does not replace %s', (_, volumeData) => {
    const there = {
      statefulSet: live(statefulSet(volumeData)),
      pods: [unscheduled(0)],
      claims: [],
    };
    expect(storageReplacement(NAME, statefulSet(right), there)).toBeUndefined();
  });
});

describe('storageReplacement without a StatefulSet', () => {
  type Case = [string, object, There, Gone];
  const [first, second] = [0, 1].map((n) => `etcd-data-karmada-demo-etcd-${n}`) as [string, string];
  it.each<Case>([
    [
      'deletes unbound PVCs that differ from the template',
      right,
      [[], [claim(0), claim(1)]],
      [first, second],
    ],
    [
      'deletes an unbound PVC when the template has no StorageClass',
      onClaim({ storageClassName: undefined }),
      [[], [claim(0)]],
      [first],
    ],
    [
      'deletes an unbound PVC when the storage changes to emptyDir',
      { emptyDir: {} },
      [[], [claim(0)]],
      [first],
    ],
    [
      'keeps bound PVCs when it deletes unbound ones',
      right,
      [[], [claim(0, bound), claim(1)]],
      [second],
    ],
    [
      'waits when a PVC is terminating',
      right,
      [[], [claim(0, { metadata: { deletionTimestamp } })]],
      [],
    ],
    ['keeps a PVC when a Pod may use it', right, [[unscheduled(0)], [claim(0)]], []],
    ['keeps an unbound PVC when it matches the template', typo, [[], [claim(0)]], undefined],
    ['keeps a bound PVC', right, [[], [claim(0, bound)]], undefined],
    [
      'keeps an unbound PVC with a volume name',
      right,
      [[], [claim(0, { spec: { volumeName: 'pv-1' } })]],
      undefined,
    ],
    [
      'keeps an unbound PVC that waits for a static volume',
      right,
      [[], [claim(0, { spec: { storageClassName: '' } })]],
      undefined,
    ],
    [
      'keeps a PVC without the labels of the control plane',
      right,
      [[], [claim(0, { metadata: { labels: {} } })]],
      undefined,
    ],
    ['replaces nothing when no PVC exists', right, [[], []], undefined],
  ])('%s', (_, wanted, [pods, claims], gone) => {
    const there = { statefulSet: undefined, pods, claims };
    const found = storageReplacement(NAME, statefulSet(wanted), there);
    expect(found?.remove.map(({ metadata }) => metadata.name)).toEqual(gone);
  });

  it('keeps a PVC whose repair is paused, and reports it', () => {
    const metadata = { annotations: { 'operator.karmada.io/pause-repair': 'true' } };
    const there = { statefulSet: undefined, pods: [], claims: [claim(0, { metadata }), claim(1)] };
    const found = storageReplacement(NAME, statefulSet(right), there);
    expect(found?.remove.map((object) => object.metadata.name)).toEqual([
      'etcd-data-karmada-demo-etcd-1',
    ]);
    expect(found?.blockedChanges).toMatchObject([{ step: 'etcd', reason: 'RepairPaused' }]);
  });

  it('reports the finalizer that blocks the deletion of a PVC', () => {
    const metadata = {
      deletionTimestamp,
      finalizers: ['kubernetes.io/pvc-protection', 'x.io/keep'],
    };
    const there = { statefulSet: undefined, pods: [], claims: [claim(0, { metadata })] };
    const found = storageReplacement(NAME, statefulSet(right), there);
    expect(found?.blockedChanges).toEqual([
      {
        step: 'etcd',
        reason: 'EtcdPVCDeletionBlocked',
        message: expect.stringMatching(/etcd-data-karmada-demo-etcd-0: .*finalizer x\.io\/keep; /),
      },
    ]);
  });
});
