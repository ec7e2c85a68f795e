/** Facts that the maintenance of a local etcd is decided on: pure. */
import type { EtcdView } from '../../etcd/view.ts';
import { DEFAULT_QUOTA } from '../../etcd/database-size.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { isTerminating } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdPods, serves } from '../../etcd-cluster/pods/etcd-pods.ts';
import { isUpToDate, membersIn } from '../../etcd-cluster/pods/membership.ts';
import type { UpkeepMemo } from '../../instance/upkeep-memo.ts';

export interface UpkeepFacts extends UpkeepMemo {
  readonly view: EtcdView;
  /** Number of members in the flags of the StatefulSet. */
  readonly members: number;
  /** Whether all Pods are Ready and have the current template. */
  readonly isSettled: boolean;
  /** Whether an upgrade of the control plane is in progress. */
  readonly isUpgrading: boolean;
  /** Whether the spec allows it. */
  readonly isEnabled: boolean;
  /** Quota of the spec in bytes, for etcd releases that do not report theirs. */
  readonly quota: bigint;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

/** Objects of an etcd: from the cache, or read just now. */
export interface UpkeepObjects {
  readonly statefulSet: StatefulSet;
  readonly pods: readonly Pod[];
  readonly view: EtcdView;
}

/** Derives the facts. */
export function upkeepFacts(
  { karmada, spec }: Pick<Snapshot, 'karmada' | 'spec'>,
  { statefulSet, pods, view }: UpkeepObjects,
  memo: UpkeepMemo,
  now: number,
): UpkeepFacts {
  const members = membersIn(statefulSet);
  const { quotaBackendBytes, autoDefragmentation = true } = spec.components.etcd.local ?? {};
  return {
    ...memo,
    view,
    members,
    now,
    isSettled: !isTerminating(statefulSet) && areSettled(etcdPods(pods), statefulSet, members),
    isUpgrading: karmada.status?.upgrade !== undefined,
    isEnabled: autoDefragmentation,
    quota: quotaBackendBytes === undefined ? DEFAULT_QUOTA : BigInt(quotaBackendBytes),
  };
}

const areSettled = (pods: readonly Pod[], statefulSet: StatefulSet, members: number): boolean =>
  pods.length === members && pods.every((pod) => serves(pod) && isUpToDate(pod, statefulSet));
