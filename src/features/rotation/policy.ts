/** Settings of rotations: pure. */
import { leafValidityDays } from '../../api/defaults/leaf-validity.ts';
import { durationMs } from '../../api/duration.ts';
import type { KarmadaSpec } from '../../api/karmada.ts';
import type { RotationPolicy } from './facts.ts';
import type { Rotation } from './record.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Returns the settings of a spec. */
export function rotationPolicy(
  spec: Pick<KarmadaSpec, 'certificates' | 'customCertificate'>,
): RotationPolicy {
  const {
    authorities = 'OnRequest',
    completion = 'Confirm',
    overlap,
  } = spec.certificates?.rotation ?? {};
  // Each certificate of the former CA has ended by then, also one that was issued immediately before the switch.
  const untilLeavesEnd = (leafValidityDays(spec) + 1) * DAY_MS;
  const overlapMs = durationMs(overlap ?? '') ?? untilLeavesEnd;
  return {
    authorities,
    overlapMs: {
      ca: completion === 'Automatic' ? overlapMs : 0,
      'etcd-ca': 0,
      'front-proxy-ca': 0,
      'service-account-key': 0,
    },
    // Verifiers outside the control plane cache what API servers publish.
    keysMs: HOUR_MS,
    completion: {
      // Nothing shows which tokens of the former key are still in use, and a token may be valid for years.
      'service-account-key': 'Confirm',
      // Agents of member clusters have copies of it that nothing shows.
      ca: completion,
      // Only Pods of the control plane use them.
      'etcd-ca': 'Automatic',
      'front-proxy-ca': 'Automatic',
    },
  };
}

/** Whether a step may need what Pods show. An overlap may last for a year. */
export const needsAnswers = (
  { authority, phase, completion }: Pick<Rotation, 'authority' | 'phase' | 'completion'>,
  { completion: by, overlapMs }: RotationPolicy,
): boolean =>
  phase !== 'Overlap' ||
  completion === 'confirmed' ||
  (completion === undefined && by[authority] === 'Automatic' && overlapMs[authority] === 0);
