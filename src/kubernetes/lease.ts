/** The Lease of coordination.k8s.io: what is in its spec, and how its times are written. */
import type { KubernetesObject } from './object.ts';

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** @returns the spec of a Lease; empty for none */
export function specOf(lease: KubernetesObject | undefined): LeaseSpec {
  return (lease?.spec ?? {}) as LeaseSpec;
}

/** RFC 3339 with six decimals, as the MicroTime of Leases and Events wants it. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
