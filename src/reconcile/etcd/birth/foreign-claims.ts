/** Claims that must not be started together, or not by this control plane: pure. */
import type { Problem } from '../../../api/problem.ts';
import { CLAIM_ANNOTATION, type ClaimStamp, type EtcdRecord, type Noted } from './record.ts';

/** A PersistentVolumeClaim with the name of one of the instance's etcd, whatever its labels are. */
export interface ClaimEvidence {
  readonly name: string;
  readonly ordinal: number;
  /** Whether it never had a volume. */
  readonly isUnbound: boolean;
  readonly isTerminating: boolean;
  readonly stamp: Noted<ClaimStamp>;
}

interface Stamped extends ClaimEvidence {
  readonly stamp: ClaimStamp;
}

const isStamped = (claim: ClaimEvidence): claim is Stamped => typeof claim.stamp === 'object';

/**
 * @param claims that may hold data
 * @returns undefined when nothing is known against them; a claim without a stamp is unknown, not foreign
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
      message: `PersistentVolumeClaim ${unreadable.name}: its annotation ${CLAIM_ANNOTATION} is not valid; restore the annotation from a backup`,
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
    message: `PersistentVolumeClaims hold data of ${ids.size} etcd clusters (${table}); leave the claims of one cluster under these names, and move the volumes of the others to claims of other names`,
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
    const message = `PersistentVolumeClaim ${name}: holds data of member ${stamp.ordinal} of etcd cluster ${stamp.clusterID}, ${other}; move the claim away, or restore what belongs to it`;
    return { reason: 'EtcdClaimForeign', message };
  }
  return undefined;
}

interface Own {
  readonly ordinal: number;
  readonly record: EtcdRecord | undefined;
  readonly authorities: readonly string[];
}

function otherness(stamp: ClaimStamp, { ordinal, record, authorities }: Own): string | undefined {
  if (!authorities.includes(stamp.ca)) return 'whose CA is not the etcd CA of this control plane';
  if (stamp.ordinal !== ordinal) return 'which is not the member of this name';
  if (record === undefined) return undefined;
  if (record.state === 'born' && record.clusterID !== stamp.clusterID)
    return `and this control plane has etcd cluster ${record.clusterID ?? ''}`;
  if (record.state === 'unborn' && record.token !== stamp.token)
    return 'and this control plane is to have a new one';
  return undefined;
}
