/** Spec and time format of a coordination.k8s.io Lease. */
import type { KubernetesObject } from './object.ts';

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** Spec of a Lease; empty if there is no Lease or spec. */
export function specOf(lease: KubernetesObject | undefined): LeaseSpec {
  return (lease?.spec ?? {}) as LeaseSpec;
}

/** Formats a time as MicroTime of Leases and Events, RFC 3339 with six decimals. @param wallMs since 1970 */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
