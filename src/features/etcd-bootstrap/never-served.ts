/**
 * Proves from recorded facts that no API server of a control plane has ever served, so that its etcd has no data of a
 * user: pure. A missing fact is no proof.
 */
import type { Deployment, StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { COMPONENT } from '../../api/labels.ts';
import { REVISION } from '../../components/rollout.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import {
  conditionOf,
  isTerminating,
  type KubernetesObject,
} from '../../kubernetes/objects/object.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { hasEnded, neverRan, wasNeverReady } from '../../etcd-cluster/pods/etcd-pods.ts';
import { isExisting } from '../../etcd-cluster/pods/membership.ts';
import { settledRevision } from '../../etcd-cluster/pods/stateful-set.ts';
import type { EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import {
  isFounding,
  type ClusterStateInput,
} from '../../etcd-cluster/identity/initial-cluster-state.ts';

/**
 * Whether the record, the status of the Karmada, the Deployment of the API server and all Pods show that no API server
 * has served, and etcd ends again and again.
 */
export function neverServed(
  { karmada, host }: Pick<Snapshot, 'karmada' | 'host'>,
  input: ClusterStateInput,
): boolean {
  const { live, record, members } = input;
  const servers = host.pods.filter(isOfServer);
  return (
    isFounding(input) &&
    isFirstCluster(record) &&
    isReportedUnready(karmada) &&
    isServerUnused(host.objects, live) &&
    members.length === countedPods(live) &&
    members.every((pod) => !isTerminating(pod) && (neverRan(pod) || hasEnded(pod))) &&
    [...members, ...servers].every((pod) => neverRan(pod) || wasNeverReady(pod))
  );
}

/** Whether no data was recovered into the cluster of the record, nor given up for it. */
const isFirstCluster = (record: EtcdRecord | undefined): boolean =>
  record?.recovery === undefined &&
  record?.recovered === undefined &&
  record?.startedEmpty === undefined;

/** Whether the operator reports that the control plane is not Ready, and has never reported that it is. */
function isReportedUnready({ status }: Snapshot['karmada']): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const { secretRef, appliedSpecHash } = status ?? {};
  const isFirst = secretRef === undefined && appliedSpecHash === undefined;
  return isFirst && ready?.status === 'False';
}

const isOfServer = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.[COMPONENT] === 'karmada-apiserver';

/**
 * Whether no Pod of the API server has been ready for its Deployment. The operator creates the API server after the
 * seal, so only before that its absence is a fact.
 */
function isServerUnused(objects: readonly KubernetesObject[], live: KubernetesObject): boolean {
  const server: Deployment | undefined = objects.find(
    (object) => object.kind === 'Deployment' && isOfServer(object),
  );
  if (server === undefined) return !isExisting(live);
  const { readyReplicas = 0 } = server.status ?? {};
  const isAvailable = conditionOf(server, 'Available')?.status !== 'False';
  return isFirstRollout(server) && readyReplicas === 0 && !isAvailable;
}

/** Whether the operator created the Deployment, and its first rollout has never completed. */
function isFirstRollout(server: KubernetesObject): boolean {
  const { [REVISION]: revision, [APPLIED_HASH]: applied } = server.metadata.annotations ?? {};
  const reason = conditionOf(server, 'Progressing')?.reason ?? '';
  return revision === '1' && applied !== undefined && NEVER_COMPLETE.has(reason);
}

/** Reasons of a first rollout that has never completed. Its controller keeps the reason of a complete one. */
const NEVER_COMPLETE: ReadonlySet<string> = new Set([
  'NewReplicaSetCreated',
  'ReplicaSetUpdated',
  'ReplicaSetCreateError',
  'ProgressDeadlineExceeded',
]);

/** Number of Pods that the controller of the StatefulSet counts; undefined until it has observed the last change. */
function countedPods(live: StatefulSet): number | undefined {
  const { replicas } = live.status ?? {};
  return settledRevision(live) === undefined ? undefined : replicas;
}
