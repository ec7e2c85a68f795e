/** Names of what a rotation replaces, and the phases of a rotation. Data only. */
import type { AuthorityName } from '../../pki/types.ts';

/** A CA, or the key pair of ServiceAccount tokens. */
export type RotationAuthority = AuthorityName | 'service-account-key';

/**
 * All of them, in the order in which one request rotates them. The key of ServiceAccount tokens comes first, because an
 * adopted control plane may use it also for a certificate of `ca`.
 */
export const ROTATION_AUTHORITIES: readonly RotationAuthority[] = [
  'service-account-key',
  'front-proxy-ca',
  'etcd-ca',
  'ca',
];

/**
 * Phases of a rotation from A to B, with what is trusted and what signs:
 * - Preparing: A and B, A signs
 * - Switching: A and B, B signs
 * - Overlap: as before; the private key of A is gone
 * - Completing: B and its successor C, B signs
 */
export const ROTATION_PHASES = ['Preparing', 'Switching', 'Overlap', 'Completing'] as const;

export type RotationPhase = (typeof ROTATION_PHASES)[number];

/** Finds the authority with a name that a user typed. */
export const authorityNamed = (name: unknown): RotationAuthority | undefined =>
  ROTATION_AUTHORITIES.find((one) => one === name);
