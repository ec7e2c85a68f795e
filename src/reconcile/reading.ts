/** Progress of the initial reads of a control plane, from process memory. */
import type { Clock } from '../kubernetes/clock.ts';
import type { Instance } from './instance.ts';
import { isPending, type Reading } from './status/first-look.ts';
import type { Snapshot } from './snapshot.ts';

/** Records the start of pending reads, and returns how long they have been pending. */
export function readingOf(
  { clock }: { readonly clock: Pick<Clock, 'monotonic'> },
  instance: Pick<Instance, 'readingSince' | 'pendingSince' | 'controlPlane'>,
  snapshot: Pick<Snapshot, 'archive' | 'host' | 'spec' | 'etcd'>,
): Reading {
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
