/** Progress of the reads of a control plane, from process memory. */
import type { Clock } from '../../kubernetes/clock.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { isPending, type ObservationAge } from '../../features/assessment/first-observation.ts';
import { isUnobserved } from '../../features/assessment/unobserved-change.ts';

type Since = 'pendingSince' | 'unobservedSince';

/** Records the start of what is awaited, and returns how long it has been awaited. */
export function observationAgeOf(
  { clock }: { readonly clock: Pick<Clock, 'monotonic'> },
  instance: Pick<InstanceCache, 'readingSince' | 'controlPlane' | Since>,
  assessment: Parameters<typeof isUnobserved>[0] & {
    readonly snapshot: Parameters<typeof isPending>[0];
  },
): ObservationAge {
  const now = clock.monotonic();
  instance.readingSince ??= now;
  const ageOf = (since: Since, isAwaited: boolean): number => {
    if (isAwaited) return now - (instance[since] ??= now);
    delete instance[since];
    return 0;
  };
  return {
    sinceMs: now - instance.readingSince,
    pendingMs: ageOf('pendingSince', isPending(assessment.snapshot)),
    unobservedMs: ageOf('unobservedSince', isUnobserved(assessment)),
    hasRead: instance.controlPlane?.hasSynced === true,
  };
}
