/**
 * What may be done to an etcd that holds data: pure. Its data comes before everything else, so a change
 * that cannot be shown to keep it is held back with a reason.
 */
import { instanceName } from '../../api/naming.ts';
import type { EtcdMembership } from '../../components/component.ts';
import { APPLIED_HASH, differences } from '../../kubernetes/compare.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { DesiredObject } from '../desired.ts';
import { COMPONENT, conditionOf, nameOf } from '../objects.ts';
import type { Hold } from '../plan.ts';
import type { Snapshot } from '../snapshot.ts';

interface StatefulSetSpec {
  readonly replicas?: number;
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly selector?: object;
  readonly template?: {
    readonly metadata?: object;
    readonly spec?: {
      readonly containers?: readonly { readonly command?: readonly string[] }[];
    };
  };
  readonly volumeClaimTemplates?: readonly object[];
}

const specOf = (object: KubernetesObject): StatefulSetSpec =>
  (object['spec'] ?? {}) as StatefulSetSpec;

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
  if (isOtherStorage(live, now, then))
    return {
      step: 'etcd',
      reason: 'EtcdStorageHeld',
      message: `${nameOf(live)} keeps its storage although spec.components.etcd.local.volumeData has changed: a running etcd cannot be moved to other storage; set it back, or restore a snapshot into a new instance`,
    };
  if (isDurable(now) || !differ(live, now, then, 'template')) return undefined;
  const members = membersOf(pods);
  if (members.length === (now.replicas ?? 1) && members.every(neverRan)) return undefined;
  return {
    step: 'etcd',
    reason: 'EtcdRestartHeld',
    message: `${nameOf(live)} stays as it is although its pod template has changed: its data is in the pod (emptyDir) and would be lost with a restart; take the change back, or make a new instance with a volumeClaim`,
  };
}

/** Fields of a StatefulSet that cannot change, and kinds of volumes that must not. */
function isOtherStorage(
  live: KubernetesObject,
  now: StatefulSetSpec,
  then: StatefulSetSpec,
): boolean {
  const claims = claimsOf(now).length;
  return (
    claims !== claimsOf(then).length ||
    hasHostPath(now) !== hasHostPath(then) ||
    (claims > 0 && differ(live, now, then, 'volumeClaimTemplates')) ||
    differ(live, now, then, 'serviceName') ||
    differ(live, now, then, 'selector')
  );
}

const claimsOf = ({ volumeClaimTemplates }: StatefulSetSpec): readonly object[] =>
  volumeClaimTemplates ?? [];

/** Whether data outlives the pod. */
const isDurable = (spec: StatefulSetSpec): boolean =>
  claimsOf(spec).length > 0 || hasHostPath(spec);

/** Whether the live value of a field lacks something of the wanted one. */
function differ(
  live: KubernetesObject,
  now: StatefulSetSpec,
  then: StatefulSetSpec,
  field: keyof StatefulSetSpec,
): boolean {
  const base = { apiVersion: live.apiVersion, kind: live.kind, metadata: { name: 'x' } };
  const of = (spec: StatefulSetSpec): KubernetesObject => ({
    ...base,
    spec: { [field]: spec[field] },
  });
  return differences(of(now), of(then)).length > 0;
}

function hasHostPath(spec: StatefulSetSpec): boolean {
  const volumes = (spec.template?.spec as { volumes?: readonly object[] } | undefined)?.volumes;
  return (volumes ?? []).some(
    (volume) => 'hostPath' in volume && (volume as { name?: string }).name === 'etcd-data',
  );
}

const REVISION = 'controller-revision-hash';

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
  const outdated = members
    .filter((pod) => pod.metadata.labels?.[REVISION] !== updateRevision)
    .sort(byNameDescending);
  const stuck = outdated.find(durable ? isDown : neverRan);
  if (stuck !== undefined) return [stuck];
  const sound = members.length === (specOf(live).replicas ?? 1) && members.every(serves);
  return durable && sound ? outdated : [];
}

const membersOf = (pods: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  pods.filter((pod) => pod.metadata.labels?.[COMPONENT] === 'etcd');

const isEnding = ({ metadata }: KubernetesObject): boolean =>
  metadata.deletionTimestamp !== undefined;

interface ContainerState {
  readonly restartCount?: number;
  readonly state?: { readonly running?: object; readonly terminated?: object };
  readonly lastState?: { readonly terminated?: object };
}

/** Containers of a pod as its node tells of them; none for a pod that is on no node, or of which nobody told yet. */
const containersOf = (pod: KubernetesObject): readonly ContainerState[] =>
  (pod['status'] as { containerStatuses?: readonly ContainerState[] } | undefined)
    ?.containerStatuses ?? [];

/** Whether its node says that nothing in it runs, or no node would take it. Silence says neither. */
function isDown(pod: KubernetesObject): boolean {
  const containers = containersOf(pod);
  if (containers.length === 0) return conditionOf(pod, 'PodScheduled')?.status === 'False';
  return containers.every(({ state }) => state !== undefined && state.running === undefined);
}

/** Whether nothing in it has ever run, so that nothing can be in it. */
function neverRan(pod: KubernetesObject): boolean {
  const begun = ({ restartCount = 0, state, lastState }: ContainerState): boolean =>
    restartCount > 0 || state?.terminated !== undefined || lastState?.terminated !== undefined;
  return isDown(pod) && !containersOf(pod).some(begun);
}

/** The revision members should have; undefined while the controller has not seen the last change. */
function settledRevision(live: KubernetesObject): string | undefined {
  const status = (live['status'] ?? {}) as { updateRevision?: string; observedGeneration?: number };
  const seen = (status.observedGeneration ?? 0) >= (live.metadata.generation ?? 0);
  return seen ? status.updateRevision : undefined;
}

const byNameDescending = (a: KubernetesObject, b: KubernetesObject): number =>
  a.metadata.name < b.metadata.name ? 1 : -1;

const serves = (pod: KubernetesObject): boolean =>
  !isEnding(pod) && conditionOf(pod, 'Ready')?.status === 'True';
