/**
 * What may be done to an etcd that holds data: pure. Its data comes before everything else, so a change
 * that cannot be shown to keep it is held back with a reason.
 */
import { instanceName } from '../../api/naming.ts';
import type { EtcdMembership } from '../../components/component.ts';
import { APPLIED_HASH } from '../../kubernetes/compare.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { DesiredObject } from '../desired.ts';
import { isEnding, nameOf } from '../objects.ts';
import type { Hold } from '../hold.ts';
import type { Snapshot } from '../snapshot.ts';
import { isCurrent, isDown, membersOf, neverRan, serves } from './member-pods.ts';
import { differs, hasOtherStorage, isDurable, settledRevision, specOf } from './stateful-set.ts';

/**
 * The members an existing etcd was started with, as its own flags say; a StatefulSet that somebody
 * scaled by hand does not change who is a member.
 * @returns undefined for an etcd that is not there yet
 */
export function runningMembership(live: KubernetesObject | undefined): EtcdMembership | undefined {
  if (live === undefined) return undefined;
  const spec = specOf(live);
  const flag = spec.template?.spec?.containers
    ?.flatMap(({ command }) => command ?? [])
    .find((argument) => argument.startsWith(INITIAL_CLUSTER));
  const named = flag?.slice(INITIAL_CLUSTER.length).split(',').filter(Boolean).length;
  const replicas = named ?? spec.replicas ?? 1;
  return { replicas, ordinals: Array.from({ length: replicas }, (_, n) => n), state: 'new' };
}

const INITIAL_CLUSTER = '--initial-cluster=';

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
  const [now, then] = [specOf(live), specOf(wanted.object)];
  if (hasOtherStorage(live, wanted.object))
    return {
      step: 'etcd',
      reason: 'EtcdStorageHeld',
      message: `${nameOf(live)} keeps its storage although spec.components.etcd.local.volumeData has changed: a running etcd cannot be moved to other storage; set it back, or restore a snapshot into a new instance`,
    };
  if (isDurable(now) || !differs(now, then, 'template')) return undefined;
  const members = membersOf(pods);
  if (members.length === (now.replicas ?? 1) && members.every(neverRan)) return undefined;
  return {
    step: 'etcd',
    reason: 'EtcdRestartHeld',
    message: `${nameOf(live)} stays as it is although its pod template has changed: its data is in the pod (emptyDir) and would be lost with a restart; take the change back, or make a new instance with a volumeClaim`,
  };
}

/**
 * The one member that is restarted now to take up a changed template. Who leads comes last: calls that meet a change of
 * leaders may fail, so there is but one.
 * @param leader name of its pod, when it is known
 */
export function memberToRestart(
  live: KubernetesObject | undefined,
  pods: readonly KubernetesObject[],
  leader?: string,
): KubernetesObject | undefined {
  const members = membersToRestart(live, pods);
  return members.find(({ metadata }) => metadata.name !== leader) ?? members[0];
}

/**
 * Members of which any one may be restarted now. One that does not run takes part in no quorum, so it may always be,
 * unless its data is in its pod; one that runs only when every member is ready, which each of them is only with a
 * quorum, and when its data outlives the pod.
 */
export function membersToRestart(
  live: KubernetesObject | undefined,
  pods: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  if (live === undefined) return [];
  const updateRevision = settledRevision(live);
  const members = membersOf(pods);
  if (updateRevision === undefined || members.some(isEnding)) return [];
  const durable = isDurable(specOf(live));
  const outdated = members.filter((pod) => !isCurrent(pod, updateRevision)).sort(byNameDescending);
  const stuck = outdated.find(durable ? isDown : neverRan);
  if (stuck !== undefined) return [stuck];
  const sound = members.length === (specOf(live).replicas ?? 1) && members.every(serves);
  return durable && sound ? outdated : [];
}

const byNameDescending = (a: KubernetesObject, b: KubernetesObject): number =>
  a.metadata.name < b.metadata.name ? 1 : -1;
