/** PVC annotations of an etcd whose members belong to one cluster: pure. */
import { isTerminating, type KubernetesObject } from '../../../kubernetes/object.ts';
import { claimOrdinal, isClaimOf } from '../persistent-volume-claims.ts';
import { CLAIM_ANNOTATION, type ClaimAnnotation } from './record.ts';
import type { SealInput } from './seal.ts';

export interface MissingClaimAnnotation {
  readonly claim: KubernetesObject;
  readonly value: string;
}

/** Returns PVCs without the correct annotation whose member responded as part of the recorded cluster. */
export function missingClaimAnnotations(
  name: string,
  claims: readonly KubernetesObject[],
  { record, members, agreement, ca }: SealInput & { readonly ca: string },
): readonly MissingClaimAnnotation[] {
  if (agreement.kind !== 'agreed' || record?.clusterID !== agreement.clusterID) return [];
  const { clusterID, token, members: count } = record;
  const answered = members.filter(({ metadata }) => agreement.pods.includes(metadata.name));
  return claims.flatMap((claim) => {
    const ordinal = claimOrdinal(name, claim.metadata.name);
    const isSeen = answered.some((pod) => isClaimOf(claim, pod));
    if (ordinal === undefined || !isSeen || isTerminating(claim)) return [];
    const stamp: ClaimAnnotation = { clusterID, token, ordinal, members: count, ca };
    const value = JSON.stringify(stamp);
    return claim.metadata.annotations?.[CLAIM_ANNOTATION] === value ? [] : [{ claim, value }];
  });
}
