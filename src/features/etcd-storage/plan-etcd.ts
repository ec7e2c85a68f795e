/**
 * Allowed changes of an etcd with data: pure. Data safety comes first: a change that could lose data is blocked with
 * a reason.
 */
import { instanceName } from '../../api/naming.ts';
import type { EtcdMembership } from '../../components/component.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import { isTerminating, nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import {
  isCurrent,
  isDown,
  etcdPods,
  neverRan,
  serves,
  wasNeverReady,
} from '../../etcd-cluster/pods/etcd-pods.ts';
import {
  hasSameEffect,
  isExisting,
  isUpToDate,
  membershipIn,
} from '../../etcd-cluster/pods/membership.ts';
import {
  hasOtherStorage,
  hostPathOf,
  isDurable,
  settledRevision,
  specOf,
  type StatefulSetSpec,
} from '../../etcd-cluster/pods/stateful-set.ts';

/**
 * Membership that a running etcd was started with, from its flags. Manual scaling of the StatefulSet does not change
 * it.
 * @returns undefined if the StatefulSet does not exist
 */
export function runningMembership(live: KubernetesObject | undefined): EtcdMembership | undefined {
  if (live === undefined) return undefined;
  return membershipIn(live, isExisting(live) ? 'existing' : 'new');
}

/** Membership of the etcd of a control plane, see `runningMembership`. */
export function etcdMembership(
  subject: Pick<Snapshot, 'karmada' | 'host'>,
): EtcdMembership | undefined {
  return runningMembership(etcdWorkload(subject));
}

/** Live etcd StatefulSet of a control plane. */
export function etcdWorkload({
  karmada,
  host,
}: Pick<Snapshot, 'karmada' | 'host'>): KubernetesObject | undefined {
  const name = instanceName(karmada.metadata.name, 'etcd');
  return host.objects.find(
    ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === name,
  );
}

/**
 * Blocks an update of the StatefulSet that could lose data.
 * @param live live StatefulSet
 * @param pods Pods of the control plane
 * @param losesNothing whether the operator replaces a member that loses its data, or no member has data of a user
 * @returns undefined if the update is allowed
 */
export function templateBlocked(
  live: KubernetesObject,
  wanted: DesiredObject,
  pods: readonly Pod[],
  losesNothing = false,
): BlockedChange | undefined {
  if (live.metadata.annotations?.[APPLIED_HASH] === wanted.hash) return undefined;
  const now = specOf(live);
  if (hasOtherStorage(live, wanted.object))
    return {
      step: 'etcd',
      reason: 'EtcdStorageBlocked',
      message: `spec.components.etcd.local.volumeData: moving a running etcd to other storage is not supported (${nameOf(live)} keeps its storage); set it back, or restore a snapshot into a new control plane`,
    };
  if (isDurable(now) || losesNothing || hasSameEffect(live, wanted.object)) return undefined;
  if (neverStarted(now, etcdPods(pods))) return undefined;
  return {
    step: 'etcd',
    reason: 'EtcdRestartBlocked',
    message: `${nameOf(live)}: Pod template change blocked, because its emptyDir contains the etcd data, which a restart would lose; revert the change, or set spec.components.etcd.local.replicas to 3 first: then the operator replaces one member after the other`,
  };
}

const neverStarted = (
  { replicas = 1 }: StatefulSetSpec,
  members: readonly KubernetesObject[],
): boolean => members.length === replicas && members.every(neverRan);

/** Context of a restart decision. */
export interface RestartContext {
  /** Whether the members have not formed their cluster yet, so that they contain no committed data. */
  readonly isFounding?: boolean;
  /** Whether the operator replaces a member that loses its data with its Pod. */
  readonly isReplaced?: boolean;
}

/**
 * Blocks a change of the hostPath: a member that restarts with another path has no data.
 * @param live live StatefulSet
 */
export function hostPathBlocked(
  { status }: Pick<Snapshot['karmada'], 'status'>,
  live: KubernetesObject,
  wanted: DesiredObject,
): BlockedChange | undefined {
  const [now, then] = [hostPathOf(specOf(live)), hostPathOf(specOf(wanted.object))];
  // A control plane that was never Ready has no data to protect, and the path may be the error to fix.
  const isEmpty = status?.secretRef === undefined;
  if (isEmpty || now === undefined || then === undefined || now === then) return undefined;
  return {
    step: 'etcd',
    reason: 'EtcdStorageBlocked',
    message: `spec.components.etcd.local.volumeData.hostPath.path: moving a running etcd to other storage is not supported (the data of ${nameOf(live)} is in ${now} on its nodes); set it back to ${now}, or restore a snapshot into a new control plane`,
  };
}

/**
 * Returns the members of which any one may be restarted, based on the Kubernetes API only. Whether the quorum
 * survives is decided from member responses (restart-decision.ts). A member that does not run is not part of a
 * quorum. It may be restarted unless its Pod contains its data. A running member may be restarted only if every
 * member is Ready, and its data outlives the Pod or the operator replaces the member.
 */
export function membersToRestart(
  live: KubernetesObject | undefined,
  pods: readonly Pod[],
  context: RestartContext = {},
): readonly KubernetesObject[] {
  const revision = live && settledRevision(live);
  const members = etcdPods(pods);
  if (live === undefined || revision === undefined || members.some(isTerminating)) return [];
  const mayFound = context.isFounding === true && !isExisting(live);
  // A Pod that cannot start a new cluster is replaced with one that can.
  const isBarred = (pod: Pod): boolean => isDown(pod) && !isCurrent(pod, revision);
  const outdated = members
    .filter((pod) => !isUpToDate(pod, live) || (mayFound && isBarred(pod)))
    .sort(byNameDescending);
  const stuck = outdated.find((pod) => neverRan(pod) || mayStop(pod, live, context));
  if (stuck !== undefined) return [stuck];
  return survives(live, context) ? ifSound(live, members, outdated) : [];
}

/** Whether a member does not run and may be replaced: its Pod contains no data that a client may have written. */
const mayStop = (
  pod: Pod,
  live: KubernetesObject,
  { isFounding = false }: RestartContext,
): boolean => isDown(pod) && (isDurable(specOf(live)) || (isFounding && wasNeverReady(pod)));

/** Whether the data survives the restart of a running member: in its volume, or in the other members. */
const survives = (live: KubernetesObject, { isReplaced = false }: RestartContext): boolean =>
  isReplaced || isDurable(specOf(live));

/** Returns the members if all are Ready. */
function ifSound(
  live: KubernetesObject,
  members: readonly KubernetesObject[],
  outdated: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const spec = specOf(live);
  const sound = members.length === (spec.replicas ?? 1) && members.every(serves);
  return sound ? outdated : [];
}

const byNameDescending = (a: KubernetesObject, b: KubernetesObject): number =>
  a.metadata.name < b.metadata.name ? 1 : -1;
