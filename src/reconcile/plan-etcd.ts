/**
 * What may be done to an etcd that holds data: pure. Its data comes before everything else, so a change
 * that cannot be shown to keep it is held back with a reason.
 */
import type { EtcdMembership } from '../components/component.ts';
import { APPLIED_HASH, differences } from '../kubernetes/compare.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { DesiredObject } from './desired.ts';
import { COMPONENT, conditionOf, nameOf } from './objects.ts';
import type { Hold } from './plan.ts';

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
 */
export function templateHold(live: KubernetesObject, wanted: DesiredObject): Hold | undefined {
  if (live.metadata.annotations?.[APPLIED_HASH] === wanted.hash) return undefined;
  const [now, then] = [specOf(live), specOf(wanted.object)];
  const storage = (now.volumeClaimTemplates ?? []).length;
  const differ = (field: keyof StatefulSetSpec): boolean =>
    changed(live, { [field]: now[field] }, { [field]: then[field] });
  if (
    storage !== (then.volumeClaimTemplates ?? []).length ||
    (storage > 0 && differ('volumeClaimTemplates')) ||
    differ('serviceName') ||
    differ('selector')
  )
    return {
      step: 'etcd',
      reason: 'EtcdStorageHeld',
      message: `${nameOf(live)} keeps its storage although spec.components.etcd.local.volumeData has changed: a running etcd cannot be moved to other storage; set it back, or restore a snapshot into a new instance`,
    };
  if (storage > 0 || hostPath(now) || !differ('template')) return undefined;
  return {
    step: 'etcd',
    reason: 'EtcdRestartHeld',
    message: `${nameOf(live)} stays as it is although its pod template has changed: its data is in the pod (emptyDir) and would be lost with a restart; restore a snapshot into a new instance with a volumeClaim`,
  };
}

/** Whether the live values lack something of the wanted ones. */
function changed(live: KubernetesObject, now: object, then: object): boolean {
  const base = { apiVersion: live.apiVersion, kind: live.kind, metadata: { name: 'x' } };
  return differences({ ...base, spec: now }, { ...base, spec: then }).length > 0;
}

function hostPath(spec: StatefulSetSpec): boolean {
  const volumes = (spec.template?.spec as { volumes?: readonly object[] } | undefined)?.volumes;
  return (volumes ?? []).some((volume) => 'hostPath' in volume);
}

const REVISION = 'controller-revision-hash';

/**
 * The one member that may be restarted now to take up a changed template: only when every member is
 * ready, which each of them is only with a quorum, and when its data outlives the pod.
 */
export function memberToRestart(
  live: KubernetesObject | undefined,
  pods: readonly KubernetesObject[],
): KubernetesObject | undefined {
  if (live === undefined) return undefined;
  const spec = specOf(live);
  const status = (live['status'] ?? {}) as { updateRevision?: string; observedGeneration?: number };
  const seen = (status.observedGeneration ?? 0) >= (live.metadata.generation ?? 0);
  const durable = (spec.volumeClaimTemplates ?? []).length > 0 || hostPath(spec);
  const members = pods.filter((pod) => pod.metadata.labels?.[COMPONENT] === 'etcd');
  const old = members.filter((pod) => pod.metadata.labels?.[REVISION] !== status.updateRevision);
  const allReady =
    members.length === (spec.replicas ?? 1) &&
    members.every(
      (pod) =>
        pod.metadata.deletionTimestamp === undefined &&
        conditionOf(pod, 'Ready')?.status === 'True',
    );
  return seen && durable && allReady && status.updateRevision !== undefined
    ? [...old].sort((a, b) => (a.metadata.name < b.metadata.name ? 1 : -1))[0]
    : undefined;
}
