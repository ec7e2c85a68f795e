/** How far the reading of an instance has come, as far as the process remembers. */
import type { Clock } from '../kubernetes/clock.ts';
import type { Instance } from './instance.ts';
import { isPending, type Reading } from './status/first-look.ts';
import type { Snapshot } from './snapshot.ts';

/** Notes since when something has not been read, and tells how long that has been. */
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
