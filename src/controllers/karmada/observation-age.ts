/** Progress of the reads of a control plane: pure. */
import type { MemoryChange } from '../../actions/round.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { ObservationAge } from '../../assessment/first-observation.ts';
import { isUnobserved } from '../../assessment/awaited-effects.ts';
import { FEATURES } from './features.ts';

type Memory = Pick<InstanceCache, 'readingSince' | 'pendingSince' | 'unobservedSince' | 'hasRead'>;

/**
 * Returns how long the operator has awaited what it reads. The caches may become complete while a reconcile is in progress that
 * has seen them incomplete, so only what the reconcile has seen counts.
 * @param now monotonic clock in milliseconds
 */
export function observationAgeOf(
  memory: Memory,
  assessment: Parameters<typeof isUnobserved>[0] & {
    readonly snapshot: Snapshot;
  },
  now: number,
): { readonly age: ObservationAge; readonly remember: MemoryChange } {
  const { readingSince = now, pendingSince = now, unobservedSince = now } = memory;
  const hasRead = memory.hasRead === true || assessment.snapshot.controlPlane.state === 'ready';
  const isPending = FEATURES.some((feature) => feature.isPending?.(assessment.snapshot));
  const pending = isPending ? pendingSince : undefined;
  const unobserved = isUnobserved(assessment) ? unobservedSince : undefined;
  return {
    age: {
      sinceMs: now - readingSince,
      isPending,
      pendingMs: now - (pending ?? now),
      unobservedMs: now - (unobserved ?? now),
      hasRead,
    },
    remember: { readingSince, hasRead, pendingSince: pending, unobservedSince: unobserved },
  };
}
