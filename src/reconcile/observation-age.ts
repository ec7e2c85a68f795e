/** Progress of the initial reads of a control plane, from process memory. */
import type { Clock } from '../kubernetes/clock.ts';
import type { InstanceCache } from './instance-cache.ts';
import { isPending, type ObservationAge } from './status/first-observation.ts';
import type { Snapshot } from './snapshot.ts';

/** Records the start of pending reads, and returns how long they have been pending. */
export function observationAgeOf(
  { clock }: { readonly clock: Pick<Clock, 'monotonic'> },
  instance: Pick<InstanceCache, 'readingSince' | 'pendingSince' | 'controlPlane'>,
  snapshot: Pick<Snapshot, 'archive' | 'host' | 'spec' | 'etcd'>,
): ObservationAge {
  const now = clock.monotonic();
  instance.readingSince ??= now;
  if (isPending(snapshot)) instance.pendingSince ??= now;
  else delete instance.pendingSince;
  return {
    sinceMs: now - instance.readingSince,
    pendingMs: now - (instance.pendingSince ?? now),
    hasRead: instance.controlPlane?.hasSynced === true,
  };
}
