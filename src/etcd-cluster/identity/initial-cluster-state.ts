/**
 * Value of `--initial-cluster-state` in the Pod template: pure. `new` lets members without data start a new cluster.
 * The template has `new` only until all first Pods exist. Afterwards it has `existing`, so a later replacement
 * Pod without data does not start.
 */
import type { EtcdMembership } from '../../components/component.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isCurrent } from '../pods/etcd-pods.ts';
import { isExisting, isUpToDate, membersIn, tokenIn } from '../pods/membership.ts';
import { settledRevision } from '../pods/stateful-set.ts';
import type { ClusterIdentity } from './cluster-identity.ts';
import type { EtcdRecord } from './record.ts';

export interface ClusterStateInput {
  /** Live StatefulSet. */
  readonly live: KubernetesObject;
  readonly record: EtcdRecord | undefined;
  /** etcd Pods. */
  readonly members: readonly KubernetesObject[];
  readonly clusterIdentity: ClusterIdentity;
  /** Whether the API server may have acknowledged a write. */
  readonly hasServed: boolean;
}

/** `keep`: the template does not change until more is known. */
export type TemplateState = EtcdMembership['state'] | 'keep';

/** Selects the state for the template. */
export function templateState(input: ClusterStateInput): TemplateState {
  const { live, record, members, clusterIdentity } = input;
  if (isFounding(input)) return isSeeded(live, members) ? 'existing' : 'new';
  if (isExisting(live)) return 'existing';
  // The operator does not change an etcd whose members belong to different clusters.
  if (clusterIdentity.kind === 'split' || clusterIdentity.kind === 'pending') return 'keep';
  return clusterIdentity.kind === 'agreed' || record !== undefined ? 'existing' : 'new';
}

/** Whether members may still start the cluster of the record: no client received an acknowledgment for their data. */
export function isFounding({
  live,
  record,
  clusterIdentity,
  hasServed,
}: Pick<ClusterStateInput, 'live' | 'record' | 'clusterIdentity' | 'hasServed'>): boolean {
  if (record?.state !== 'unborn' || record.token !== tokenIn(live)) return false;
  return !hasServed && clusterIdentity.kind !== 'agreed' && clusterIdentity.kind !== 'split';
}

/**
 * Whether all members have a Pod that can start the new cluster. The StatefulSet controller creates Pods from the
 * newest template (updateStrategy OnDelete), so Pods of the revision with `existing` cannot.
 */
function isSeeded(live: KubernetesObject, members: readonly KubernetesObject[]): boolean {
  const revision = settledRevision(live);
  if (revision === undefined) return isExisting(live);
  return (
    members.length === membersIn(live) &&
    members.every(
      (pod) =>
        !isTerminating(pod) &&
        isUpToDate(pod, live) &&
        isCurrent(pod, revision) !== isExisting(live),
    )
  );
}
