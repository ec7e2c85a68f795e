/** Progress of the reads of a control plane: pure. */
import type { MemoryChange } from '../../actions/round.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { ObservationAge } from '../../features/assessment/first-observation.ts';
import { isUnobserved } from '../../features/assessment/unobserved-change.ts';
import { FEATURES } from './features.ts';

type Memory = Pick<InstanceCache, 'readingSince' | 'pendingSince' | 'unobservedSince'> & {
  readonly controlPlane?: { readonly hasSynced: boolean };
};

/** Returns how long the operator has awaited what it reads. @param now monotonic clock in milliseconds */
export function observationAgeOf(
  memory: Memory,
  assessment: Parameters<typeof isUnobserved>[0] & {
    readonly snapshot: Snapshot;
  },
  now: number,
): { readonly age: ObservationAge; readonly remember: MemoryChange } {
  const { readingSince = now, pendingSince = now, unobservedSince = now } = memory;
  const isPending = FEATURES.some((feature) => feature.isPending?.(assessment.snapshot));
  const pending = isPending ? pendingSince : undefined;
  const unobserved = isUnobserved(assessment) ? unobservedSince : undefined;
  return {
    age: {
      sinceMs: now - readingSince,
      isPending,
      pendingMs: now - (pending ?? now),
      unobservedMs: now - (unobserved ?? now),
      hasRead: memory.controlPlane?.hasSynced === true,
    },
    remember: { readingSince, pendingSince: pending, unobservedSince: unobserved },
  };
}
