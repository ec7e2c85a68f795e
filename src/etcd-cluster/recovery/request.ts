/** Which member etcd is to be recovered from, as the user confirmed it, or allowed the operator to choose: pure. */
import { majorityOf, type EtcdView } from '../../etcd/view.ts';
import type { PersistentVolumeClaim } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { claimAnnotationIn, type EtcdRecord } from '../identity/record.ts';
import { valueFor } from './confirmed-member.ts';
import { hasLeader, RECOVER_ANNOTATION, survivorsOf } from './survivors.ts';

/** Annotation of a Karmada whose etcd the operator recovers without a confirmation. */
export const AUTOMATIC_ANNOTATION = 'operator.karmada.io/etcd-recovery-mode';
const AUTOMATIC = 'Automatic';

/** What a request is derived from. */
export interface RequestContext {
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly record: EtcdRecord | undefined;
  readonly view: EtcdView;
  /** PVCs of the namespace. */
  readonly claims: readonly PersistentVolumeClaim[];
}

/**
 * Returns the value of the annotation that names a member. With automatic recovery, returns that of the member with the
 * newest data, if a majority of the members provably has no data any more: their PVCs do not exist. A member that only
 * does not respond may return, so its loss is for the user to confirm.
 * @returns undefined if nothing is to be recovered
 */
export function requestedRecovery(context: RequestContext): string | undefined {
  const { annotations = {}, record } = context;
  const { [RECOVER_ANNOTATION]: named, [AUTOMATIC_ANNOTATION]: mode } = annotations;
  // A value is executed once, and may stay on the Karmada.
  if (named !== undefined && record?.recovered?.includes(named) !== true) return named;
  if (mode !== AUTOMATIC || record === undefined) return undefined;
  // The survivor of a recovery that has begun does not have to respond any more.
  return record.recovery?.from ?? newestAfterLoss(context, record);
}

function newestAfterLoss({ view, claims }: RequestContext, record: EtcdRecord): string | undefined {
  if (view.quorum || hasLeader(view) || !hasLostMajority(record, claims)) return undefined;
  const [newest] = survivorsOf(view);
  return newest && valueFor(newest);
}

/** Whether so many PVCs with data are gone that the members of the others are no majority. */
function hasLostMajority(record: EtcdRecord, claims: readonly PersistentVolumeClaim[]): boolean {
  const { state, data = [], members } = record;
  if (state !== 'born' || data.length !== members) return false;
  const holders = new Set(data);
  return claims.filter((claim) => hasData(record, holders, claim)).length < majorityOf(members);
}

/** A PVC that is being deleted may still have its data; a restored one has another UID, but the annotation. */
function hasData(
  { clusterID }: EtcdRecord,
  holders: ReadonlySet<string>,
  { metadata }: KubernetesObject,
): boolean {
  const stamp = claimAnnotationIn(metadata.annotations);
  const mayBeStamped =
    typeof stamp === 'object' ? stamp.clusterID === clusterID : stamp !== undefined;
  return mayBeStamped || holders.has(metadata.uid ?? '');
}
