/**
 * What may be done to an etcd that holds data: pure. Its data comes before everything else, so a change
 * that cannot be shown to keep it is held back with a reason.
 */
import { instanceName } from '../../api/naming.ts';
import type { EtcdMembership } from '../../components/component.ts';
import { APPLIED_HASH } from '../../kubernetes/compare.ts';
import { isEnding, nameOf, type KubernetesObject } from '../../kubernetes/object.ts';
import type { DesiredObject } from '../desired.ts';
import type { Hold } from '../hold.ts';
import type { Snapshot } from '../snapshot.ts';
import { isCurrent, isDown, membersOf, neverRan, serves } from './member-pods.ts';
import { hasSameEffect, isSealed, isUpToDate, membershipIn } from './membership.ts';
import { hasOtherStorage, hostPathOf, isDurable, settledRevision, specOf } from './stateful-set.ts';

/**
 * The members an existing etcd was started with, as its own flags say; a StatefulSet that somebody
 * scaled by hand does not change who is a member.
 * @returns undefined for an etcd that is not there yet
 */
export function runningMembership(live: KubernetesObject | undefined): EtcdMembership | undefined {
  if (live === undefined) return undefined;
  return membershipIn(live, isSealed(live) ? 'existing' : 'new');
}

/** The same for the etcd of an instance. */
export function etcdMembership(
  subject: Pick<Snapshot, 'karmada' | 'host'>,
): EtcdMembership | undefined {
  return runningMembership(etcdWorkload(subject));
}

/** The StatefulSet of an instance's etcd as it is. */
export function etcdWorkload({
  karmada,
  host,
}: Pick<Snapshot, 'karmada' | 'host'>): KubernetesObject | undefined {
  const name = instanceName(karmada.metadata.name, 'etcd');
  return host.objects.find(
    ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === name,
  );
}

/** The hold on a changed number of members, while changing it is not supported. */
export function replicasHold(
  membership: EtcdMembership | undefined,
  wanted: number | undefined,
): Hold | undefined {
  if (membership === undefined || wanted === undefined || membership.replicas === wanted)
    return undefined;
  return {
    step: 'etcd',
    reason: 'EtcdMembersHeld',
    message: `etcd keeps its ${membership.replicas} members although spec.components.etcd.local.replicas is ${wanted}: this release does not change the number of members of a running etcd; set it back to ${membership.replicas}`,
  };
}

/**
 * Why the StatefulSet must not be changed to what is wanted, or undefined when it may.
 * @param live the StatefulSet as it is
 * @param pods pods of the instance
 */
export function templateHold(
  live: KubernetesObject,
  wanted: DesiredObject,
  pods: readonly KubernetesObject[],
): Hold | undefined {
  if (live.metadata.annotations?.[APPLIED_HASH] === wanted.hash) return undefined;
  const now = specOf(live);
  if (hasOtherStorage(live, wanted.object))
    return {
      step: 'etcd',
      reason: 'EtcdStorageHeld',
      message: `${nameOf(live)} keeps its storage although spec.components.etcd.local.volumeData has changed: a running etcd cannot be moved to other storage; set it back, or restore a snapshot into a new instance`,
    };
  if (isDurable(now) || hasSameEffect(live, wanted.object)) return undefined;
  const members = membersOf(pods);
  if (members.length === (now.replicas ?? 1) && members.every(neverRan)) return undefined;
  return {
    step: 'etcd',
    reason: 'EtcdRestartHeld',
    message: `${nameOf(live)} stays as it is although its pod template has changed: its data is in the pod (emptyDir) and would be lost with a restart; take the change back, or make a new instance with a volumeClaim`,
  };
}

/** What else decides about a restart. */
export interface RestartContext {
  /** Whether the members have yet to found their cluster, so that nothing in them counts. */
  readonly isFounding?: boolean;
}

/**
 * The hold on another path on the nodes for the members' data: a member that restarts there finds none.
 * @param live the StatefulSet as it is
 */
export function hostPathHold(
  { status }: Pick<Snapshot['karmada'], 'status'>,
  live: KubernetesObject,
  wanted: DesiredObject,
): Hold | undefined {
  const [now, then] = [hostPathOf(specOf(live)), hostPathOf(specOf(wanted.object))];
  // What was never ready holds nobody's data, and its path may be the mistake.
  const isEmpty = status?.secretRef === undefined;
  if (isEmpty || now === undefined || then === undefined || now === then) return undefined;
  return {
    step: 'etcd',
    reason: 'EtcdStorageHeld',
    message: `spec.components.etcd.local.volumeData.hostPath.path: a running etcd cannot be moved to other storage (${nameOf(live)} has its data below ${now} on its nodes); set it back to ${now}, or restore a snapshot into a new instance`,
  };
}

/**
 * Members of which any one may be restarted, as far as Kubernetes knows: whether its quorum outlives that is for the
 * members to show (restart-decision.ts). One that does not run takes part in no quorum, so it may always be,
 * unless its data is in its pod; one that runs only when every member is ready, which each of them is only with a
 * quorum, and when its data outlives the pod.
 */
export function membersToRestart(
  live: KubernetesObject | undefined,
  pods: readonly KubernetesObject[],
  context: RestartContext = {},
): readonly KubernetesObject[] {
  if (live === undefined) return [];
  const revision = settledRevision(live);
  const members = membersOf(pods);
  if (revision === undefined || members.some(isEnding)) return [];
  const durable = isDurable(specOf(live));
  const { isFounding = false } = context;
  const mayFound = isFounding && !isSealed(live);
  // One that may not found the cluster makes room for one that may.
  const isBarred = (pod: KubernetesObject): boolean => isDown(pod) && !isCurrent(pod, revision);
  const outdated = members
    .filter((pod) => !isUpToDate(pod, live) || (mayFound && isBarred(pod)))
    .sort(byNameDescending);
  const stuck = outdated.find(durable || isFounding ? isDown : neverRan);
  return stuck === undefined ? ifSound(live, members, outdated) : [stuck];
}

/** Those members, when all are ready and their data outlives their pods. */
function ifSound(
  live: KubernetesObject,
  members: readonly KubernetesObject[],
  outdated: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const spec = specOf(live);
  const sound = members.length === (spec.replicas ?? 1) && members.every(serves);
  return isDurable(spec) && sound ? outdated : [];
}

const byNameDescending = (a: KubernetesObject, b: KubernetesObject): number =>
  a.metadata.name < b.metadata.name ? 1 : -1;
