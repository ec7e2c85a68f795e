/**
 * With which flags a member of an etcd starts when it has no data: pure. `new` lets it found a cluster, and is in the
 * template only until every pod of the first ones is there; a pod that takes the place of one of them later is sealed.
 */
import type { EtcdMembership } from '../../../components/component.ts';
import { isEnding, type KubernetesObject } from '../../../kubernetes/object.ts';
import { isCurrent } from '../member-pods.ts';
import { isSealed, isUpToDate, membersIn, tokenIn } from '../membership.ts';
import { settledRevision } from '../stateful-set.ts';
import type { Agreement } from './agreement.ts';
import type { EtcdRecord } from './record.ts';

export interface SealInput {
  /** The StatefulSet as it is. */
  readonly live: KubernetesObject;
  readonly record: EtcdRecord | undefined;
  /** Pods of etcd. */
  readonly members: readonly KubernetesObject[];
  readonly agreement: Agreement;
  /** Whether the API server may have acknowledged a write. */
  readonly hasServed: boolean;
}

/** `keep`: the template stays as it is until more is known. */
export type TemplateState = EtcdMembership['state'] | 'keep';

/** The flags that the template gets. */
export function templateState(input: SealInput): TemplateState {
  const { live, record, members, agreement } = input;
  if (isFounding(input)) return isSeeded(live, members) ? 'existing' : 'new';
  if (isSealed(live)) return 'existing';
  // Nothing is written to an etcd whose members are not one cluster.
  if (agreement.kind === 'split' || agreement.kind === 'pending') return 'keep';
  return agreement.kind === 'agreed' || record !== undefined ? 'existing' : 'new';
}

/** Whether members may still found the cluster of the record: nothing that they hold was acknowledged to anybody. */
export function isFounding({
  live,
  record,
  agreement,
  hasServed,
}: Pick<SealInput, 'live' | 'record' | 'agreement' | 'hasServed'>): boolean {
  if (record?.state !== 'unborn' || record.token !== tokenIn(live)) return false;
  return !hasServed && agreement.kind !== 'agreed' && agreement.kind !== 'split';
}

/**
 * Whether all members have a pod that may found the cluster. The StatefulSet controller makes pods from the newest
 * template (updateStrategy OnDelete), so those of the sealed revision are the ones that may not.
 */
function isSeeded(live: KubernetesObject, members: readonly KubernetesObject[]): boolean {
  const revision = settledRevision(live);
  if (revision === undefined) return isSealed(live);
  return (
    members.length === membersIn(live) &&
    members.every(
      (pod) =>
        !isEnding(pod) && isUpToDate(pod, live) && isCurrent(pod, revision) !== isSealed(live),
    )
  );
}
