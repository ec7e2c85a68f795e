import { describe, expect, it } from '@jest/globals';
import { answerOf, AT, idOf } from '../../etcd/__fixtures__/answers.ts';
import { etcdView } from '../../etcd/view.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { karmadaOf, live, pod, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { DesiredObject, DesiredObjects } from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { planEtcd, type EtcdPlan } from '../etcd-plan/etcd-actions.ts';
import { upkeepAfterMs } from './plan-upkeep.ts';

const POD = 'karmada-demo-etcd-0';
const MIB = 1_048_576;
/** A database of which most is free space, near its quota. */
const SIZES = {
  dbSize: String(2_000 * MIB),
  dbSizeInUse: String(100 * MIB),
  dbSizeQuota: String(2_048 * MIB),
};

const specFor = (storage: string): object => ({
  volumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  },
});

const desiredWith = (storage: string): DesiredObjects =>
  wishOf({ components: { etcd: { local: { volumeData: specFor(storage) } } } });

const setIn = ({ objects }: DesiredObjects): DesiredObject => {
  const found = objects.find(({ object }) => object.kind === 'StatefulSet');
  if (found === undefined) throw new Error('no StatefulSet');
  return found;
};

interface Given {
  readonly snapshot?: Partial<Snapshot>;
  readonly desired?: DesiredObjects;
  readonly statefulSet?: KubernetesObject;
}

const BEFORE = desiredWith('8Gi');

function snapshotWith({ snapshot, statefulSet }: Given): Snapshot {
  const pods = [pod('etcd', { name: POD })];
  const view = etcdView([answerOf(POD, [POD], SIZES)], [{ name: POD, uid: `uid-${POD}` }], AT);
  const base = snapshotOf(BEFORE, ['etcd'], { karmada: karmadaOf(), etcd: view });
  const objects = base.host.objects.map((object) =>
    object.kind === 'StatefulSet' ? (statefulSet ?? object) : object,
  );
  return { ...base, host: { ...base.host, objects, pods }, ...snapshot };
}

function plan(given: Given = {}): EtcdPlan {
  const snapshot = snapshotWith(given);
  const cachedOf = ({ id }: DesiredObject): KubernetesObject | undefined =>
    id === setIn(BEFORE).id
      ? snapshot.host.objects.find(({ kind }) => kind === 'StatefulSet')
      : undefined;
  return planEtcd({ snapshot, desired: given.desired ?? BEFORE }, cachedOf, new Set());
}

const kindsOf = ({ actions }: EtcdPlan): readonly string[] => actions.map(({ kind }) => kind);

const upkeep = (more: object = {}): Pick<Snapshot, 'etcdUpkeep'> => ({
  etcdUpkeep: { isRunning: false, defragmentedAt: new Map(), ...more },
});

describe('planEtcd with a fragmented database', () => {
  it('maintains etcd when nothing else changes', () => {
    expect(kindsOf(plan())).toEqual(['maintainEtcd']);
  });

  it('does nothing else while the maintenance runs', () => {
    expect(kindsOf(plan({ snapshot: upkeep({ isRunning: true }) }))).toEqual([]);
  });

  it('does not maintain etcd when the StatefulSet has not the desired template', () => {
    const set = live(setIn(BEFORE));
    const annotations = { ...set.metadata.annotations, [APPLIED_HASH]: 'older' };
    const statefulSet = { ...set, metadata: { ...set.metadata, annotations } };
    expect(kindsOf(plan({ statefulSet }))).toEqual([]);
  });

  it('rests after an attempt that did nothing', () => {
    const snapshot = upkeep({ restUntil: snapshotWith({}).now + 5_000 });
    expect(kindsOf(plan({ snapshot }))).toEqual([]);
    expect(upkeepAfterMs(snapshotWith({ snapshot }))).toBe(5_000);
    const past = upkeep({ restUntil: snapshotWith({}).now });
    expect(kindsOf(plan({ snapshot: past }))).toEqual(['maintainEtcd']);
  });

  it('names the time of the next attempt', () => {
    const defragmentedAt = new Map([[idOf(POD), snapshotWith({}).now - 1_000]]);
    expect(upkeepAfterMs(snapshotWith({ snapshot: upkeep({ defragmentedAt }) }))).toBe(3_599_000);
    expect(upkeepAfterMs(snapshotWith({}))).toBe(Infinity);
  });
});

describe('planEtcd with another size of the PVCs', () => {
  const desired = desiredWith('16Gi');

  it('recreates the StatefulSet when all PVCs are large enough, and does not write it', () => {
    const planned = plan({ desired });
    expect(kindsOf(planned)).toEqual(['growEtcdStorage']);
    expect(planned.isUntouched(setIn(desired))).toBe(true);
  });

  it('blocks a smaller size', () => {
    const planned = plan({ desired: desiredWith('4Gi') });
    expect(kindsOf(planned)).toEqual([]);
    expect(planned.blockedChanges).toMatchObject([{ reason: 'EtcdStorageBlocked' }]);
  });

  it('does not write a StatefulSet that is terminating', () => {
    const set = live(setIn(BEFORE));
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const statefulSet = { ...set, metadata: { ...set.metadata, deletionTimestamp } };
    const planned = plan({ desired, statefulSet });
    expect(kindsOf(planned)).toEqual([]);
    expect(planned.isUntouched(setIn(desired))).toBe(true);
  });
});
