/** PVC annotations of an etcd whose members belong to one cluster: pure. */
import type { PersistentVolumeClaim } from '../../kubernetes/objects/kinds.ts';
import { isTerminating } from '../../kubernetes/objects/object.ts';
import { claimOrdinal, claimsOfPods } from '../storage/persistent-volume-claims.ts';
import { CLAIM_ANNOTATION, type ClaimAnnotation } from './record.ts';
import type { ClusterStateInput } from './initial-cluster-state.ts';

export interface MissingClaimAnnotation {
  readonly claim: PersistentVolumeClaim;
  readonly value: string;
}

/** Returns PVCs without the correct annotation whose member responded as part of the recorded cluster. */
export function missingClaimAnnotations(
  name: string,
  claims: readonly PersistentVolumeClaim[],
  { record, members, clusterIdentity, ca }: ClusterStateInput & { readonly ca: string },
): readonly MissingClaimAnnotation[] {
  if (clusterIdentity.kind !== 'agreed' || record?.clusterID !== clusterIdentity.clusterID)
    return [];
  const { clusterID, token, members: count } = record;
  const names = new Set(clusterIdentity.pods);
  const answered = members.filter(({ metadata }) => names.has(metadata.name));
  return claimsOfPods(claims, answered).flatMap((claim) => {
    const ordinal = claimOrdinal(name, claim.metadata.name);
    if (ordinal === undefined || isTerminating(claim)) return [];
    const stamp: ClaimAnnotation = { clusterID, token, ordinal, members: count, ca };
    const value = JSON.stringify(stamp);
    return claim.metadata.annotations?.[CLAIM_ANNOTATION] === value ? [] : [{ claim, value }];
  });
}
