/** Detects PVCs that must not start together, or not with this control plane: pure. */
import type { Problem } from '../../api/reasons/problem.ts';
import { CLAIM_ANNOTATION, type ClaimAnnotation, type EtcdRecord, type Noted } from './record.ts';

/** A PVC with the name of an etcd PVC of this control plane, regardless of its labels. */
export interface ClaimEvidence {
  readonly name: string;
  readonly ordinal: number;
  /** Whether it never had a volume. */
  readonly isUnbound: boolean;
  readonly isTerminating: boolean;
  readonly stamp: Noted<ClaimAnnotation>;
}

interface Stamped extends ClaimEvidence {
  readonly stamp: ClaimAnnotation;
}

const isStamped = (claim: ClaimEvidence): claim is Stamped => typeof claim.stamp === 'object';

/**
 * Checks the annotations of PVCs.
 * @param claims PVCs that may contain data
 * @returns undefined if no conflict is known; a PVC without annotation is unknown, not foreign
 */
export function foreignClaims(
  claims: readonly ClaimEvidence[],
  {
    record,
    authorities,
  }: { readonly record: EtcdRecord | undefined; readonly authorities: readonly string[] },
): Problem | undefined {
  const unreadable = claims.find(({ stamp }) => stamp === 'unreadable');
  if (unreadable !== undefined)
    return {
      reason: 'EtcdClaimUnreadable',
      message: `PersistentVolumeClaim ${unreadable.name}: annotation ${CLAIM_ANNOTATION} is not valid; restore it from a backup`,
    };
  const stamped = claims.filter(isStamped);
  return ofTwoClusters(stamped) ?? ofOthers(stamped, record, authorities);
}

function ofTwoClusters(claims: readonly Stamped[]): Problem | undefined {
  const ids = new Set(claims.map(({ stamp }) => stamp.clusterID));
  if (ids.size < 2) return undefined;
  const table = claims
    .map(
      ({ name, stamp }) =>
        `${name}: cluster ${stamp.clusterID}, member ${stamp.ordinal} of ${stamp.members}`,
    )
    .join('; ');
  return {
    reason: 'EtcdClaimsOfTwoClusters',
    message: `PersistentVolumeClaims: contain data of ${ids.size} etcd clusters (${table}); keep the PVCs of one cluster under these names, and move the volumes of the others to PVCs with other names`,
  };
}

function ofOthers(
  claims: readonly Stamped[],
  record: EtcdRecord | undefined,
  authorities: readonly string[],
): Problem | undefined {
  for (const { name, ordinal, stamp } of claims) {
    const other = otherness(stamp, { ordinal, record, authorities });
    if (other === undefined) continue;
    const message = `PersistentVolumeClaim ${name}: contains data of member ${stamp.ordinal} of etcd cluster ${stamp.clusterID}, ${other}; move the PVC away, or restore the Secrets and PVCs of its cluster`;
    return { reason: 'EtcdClaimForeign', message };
  }
  return undefined;
}

interface Own {
  readonly ordinal: number;
  readonly record: EtcdRecord | undefined;
  readonly authorities: readonly string[];
}

function otherness(
  stamp: ClaimAnnotation,
  { ordinal, record, authorities }: Own,
): string | undefined {
  // The CA that the recorded cluster had first may have been replaced since the PVC was annotated.
  const known = record === undefined ? authorities : [...authorities, record.ca];
  if (!known.includes(stamp.ca)) return 'whose CA is not the etcd CA of this control plane';
  if (stamp.ordinal !== ordinal) return 'which is not the member with this name';
  if (record === undefined) return undefined;
  if (record.state === 'born' && record.clusterID !== stamp.clusterID)
    return `but this control plane uses etcd cluster ${record.clusterID ?? ''}`;
  if (record.state === 'unborn' && record.token !== stamp.token)
    return 'but this control plane starts a new cluster';
  return undefined;
}
