/**
 * Detects members that lost their data: pure. With `--initial-cluster-state=existing` they do not start, and the etcd
 * log does not name the cause.
 */
import type { Problem } from '../../api/reasons/problem.ts';
import type { PersistentVolumeClaim } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { claimsByPod, type ClaimsByPod } from '../storage/persistent-volume-claims.ts';
import { isDown, neverRan } from '../pods/etcd-pods.ts';
import { isExisting } from '../pods/membership.ts';
import { START_EMPTY_ANNOTATION, claimAnnotationIn, type EtcdRecord } from './record.ts';

export interface LossInput {
  /** Live StatefulSet. */
  readonly live: KubernetesObject;
  readonly record: EtcdRecord | undefined;
  /** etcd Pods. */
  readonly members: readonly KubernetesObject[];
  readonly claims: readonly PersistentVolumeClaim[];
  /** Whether a majority of the members is healthy, so that the operator replaces the others. */
  readonly hasQuorum: boolean;
}

/** Returns the error for members without data; undefined if no loss is known. */
export function dataLossOf(input: LossInput): Problem | undefined {
  const { live, record, members } = input;
  if (record?.clusterID === undefined || record.data === undefined || !isExisting(live))
    return undefined;
  const claims = claimsByPod(input.claims, members);
  const data = new Set(record.data);
  const lost = members.filter((pod) => hasLost(pod, { claims, record }, data));
  if (lost.length === 0) return undefined;
  const names = lost.map(({ metadata }) => metadata.name).join(', ');
  const { clusterID, members: count } = record;
  if (input.hasQuorum) return undefined;
  if (lost.length < count)
    return {
      reason: 'EtcdMemberLost',
      message: `etcd: Pod ${names} lost the data of its member of cluster ${clusterID} (it does not start without the entries that it acknowledged), and the other members have no quorum; start the members that still have data, then the operator replaces the others; if they all run, recover from one of them as the condition EtcdHealthy describes`,
    };
  return {
    reason: 'DataLost',
    message: `etcd: no Pod has the data of cluster ${clusterID} (${names}); restore it, or annotate the Karmada with ${START_EMPTY_ANNOTATION}=${clusterID} to give it up and start with an empty etcd`,
  };
}

/** Whether a Pod that ran and is down has neither the recorded storage of its member nor a PVC annotated for it. */
export function hasLost(
  pod: Pod,
  { claims, record }: Pick<LossInput, 'record'> & { readonly claims: ClaimsByPod },
  data: ReadonlySet<string>,
): boolean {
  if (!isDown(pod) || neverRan(pod)) return false;
  const [claim] = claims.get(pod.metadata.name) ?? [];
  const stamp = claimAnnotationIn(claim?.metadata.annotations);
  if (typeof stamp === 'object' && stamp.clusterID === record?.clusterID) return false;
  const own = [pod, ...(claim ? [claim] : [])].map(({ metadata }) => metadata.uid ?? '');
  return !own.some((uid) => data.has(uid));
}
