/** Spec and time format of a coordination.k8s.io Lease. */
import type { Lease, LeaseSpec } from './kinds.ts';

/** Spec of a Lease; empty if there is no Lease or spec. */
export function specOf(lease: Lease | undefined): LeaseSpec {
  return lease?.spec ?? {};
}

/** Formats a time as MicroTime of Leases and Events, RFC 3339 with six decimals. @param wallMs since 1970 */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}

/** Durations of an election in milliseconds. */
export interface LeaseTimes {
  /** Time without renewal after which another process may acquire the lease. */
  readonly leaseMs: number;
  /** Time without successful renewal after which the holder stops leading; must be below `leaseMs`. */
  readonly renewDeadlineMs: number;
  /** Interval between attempts to acquire or renew the lease. */
  readonly retryMs: number;
}

/** Defaults of leader election in client-go. */
export const DEFAULT_LEASE_TIMES: LeaseTimes = {
  leaseMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2_000,
};
