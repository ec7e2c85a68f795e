/** PVC annotations of an etcd whose members belong to one cluster: pure. */
import { isEnding, type KubernetesObject } from '../../../kubernetes/object.ts';
import { claimOrdinal, isClaimOf } from '../claims.ts';
import { CLAIM_ANNOTATION, type ClaimStamp } from './record.ts';
import type { SealInput } from './seal.ts';

export interface DueStamp {
  readonly claim: KubernetesObject;
  readonly value: string;
}

/** Returns PVCs without the correct annotation whose member responded as part of the recorded cluster. */
export function dueStamps(
  name: string,
  claims: readonly KubernetesObject[],
  { record, members, agreement, ca }: SealInput & { readonly ca: string },
): readonly DueStamp[] {
  if (agreement.kind !== 'agreed' || record?.clusterID !== agreement.clusterID) return [];
  const { clusterID, token, members: count } = record;
  const answered = members.filter(({ metadata }) => agreement.pods.includes(metadata.name));
  return claims.flatMap((claim) => {
    const ordinal = claimOrdinal(name, claim.metadata.name);
    const isSeen = answered.some((pod) => isClaimOf(claim, pod));
    if (ordinal === undefined || !isSeen || isEnding(claim)) return [];
    const stamp: ClaimStamp = { clusterID, token, ordinal, members: count, ca };
    const value = JSON.stringify(stamp);
    return claim.metadata.annotations?.[CLAIM_ANNOTATION] === value ? [] : [{ claim, value }];
  });
}
