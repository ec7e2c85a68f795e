/** Members that have lost their data: pure. Sealed as they are they do not start, and their log does not say why. */
import type { Problem } from '../../../api/problem.ts';
import type { KubernetesObject } from '../../../kubernetes/object.ts';
import { isClaimOf } from '../claims.ts';
import { isDown, neverRan } from '../member-pods.ts';
import { isSealed } from '../membership.ts';
import { START_EMPTY_ANNOTATION, stampIn, type EtcdRecord } from './record.ts';

export interface LossInput {
  /** The StatefulSet as it is. */
  readonly live: KubernetesObject;
  readonly record: EtcdRecord | undefined;
  /** Pods of etcd. */
  readonly members: readonly KubernetesObject[];
  readonly claims: readonly KubernetesObject[];
}

/** What to say of members without data; undefined when none is known to have lost it. */
export function lossOf(input: LossInput): Problem | undefined {
  const { live, record, members } = input;
  if (record?.clusterID === undefined || record.data === undefined || !isSealed(live))
    return undefined;
  const lost = members.filter((pod) => hasLost(pod, input, record.data ?? []));
  if (lost.length === 0) return undefined;
  const names = lost.map(({ metadata }) => metadata.name).join(', ');
  const { clusterID, members: count } = record;
  if (lost.length < count)
    return {
      reason: 'EtcdMemberLost',
      message: `etcd: Pod ${names} has not the data of its member of cluster ${clusterID}, and does not start without it: it would vote without knowing what it has acknowledged; the other members go on while most of ${count} serve; restore its data, this release does not replace a member`,
    };
  return {
    reason: 'DataLost',
    message: `etcd: no pod has the data of cluster ${clusterID} (${names}); restore it, or annotate the Karmada with ${START_EMPTY_ANNOTATION}=${clusterID} to give it up and to start with an empty etcd`,
  };
}

/** Whether a pod that ran and is down has neither the storage that its member had nor one that is annotated as such. */
function hasLost(
  pod: KubernetesObject,
  { claims, record }: LossInput,
  data: readonly string[],
): boolean {
  if (!isDown(pod) || neverRan(pod)) return false;
  const claim = claims.find((item) => isClaimOf(item, pod));
  const stamp = stampIn(claim?.metadata.annotations);
  if (typeof stamp === 'object' && stamp.clusterID === record?.clusterID) return false;
  const own = [pod, ...(claim ? [claim] : [])].map(({ metadata }) => metadata.uid ?? '');
  return !own.some((uid) => data.includes(uid));
}
