/** Settings of rotations that no field of the spec changes yet. */
import type { RotationPolicy } from './facts.ts';

const HOUR_MS = 3_600_000;

export const POLICY: RotationPolicy = {
  authorities: 'OnRequest',
  overlapMs: { ca: 0, 'etcd-ca': 0, 'front-proxy-ca': 0, 'service-account-key': 0 },
  // Verifiers outside the control plane cache what API servers publish.
  keysMs: HOUR_MS,
  completion: {
    // Nothing shows which tokens of the former key are still in use, and a token may be valid for years.
    'service-account-key': 'Confirm',
    // Agents of member clusters have copies of it that nothing shows.
    ca: 'Confirm',
    // Only Pods of the control plane use them.
    'etcd-ca': 'Automatic',
    'front-proxy-ca': 'Automatic',
  },
};
