/** Requeues control planes that wait for the rollout of a new operator version. */
import {
  cachedRolloutState,
  otherControlPlanes,
  type SiblingTools,
} from '../../features/operator-rollout/other-control-planes.ts';
import { nextToRollOut } from '../../features/operator-rollout/rollout-order.ts';
import type { RolloutLimit } from '../../instance/rollout-turn.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { MergedChanges } from '../../kubernetes/workqueue/merged-changes.ts';
import type { WorkQueue } from '../../kubernetes/workqueue/queue.ts';

interface RolloutWiring extends SiblingTools {
  readonly rolloutLimit: RolloutLimit;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Requeues the next control planes when a rollout of a new operator version has ended or recovered. To find them, it examines all Karmada
 * objects, of which thousands may be deleted at once.
 */
export function wireRollouts(tools: RolloutWiring, queue: Pick<WorkQueue, 'add'>): void {
  const { local, rolloutLimit, clock } = tools;
  const act = (): void => {
    for (const key of nextToRollOut(otherControlPlanes(tools, ''), rolloutLimit)) queue.add(key);
  };
  const ends = new MergedChanges({ clock, maxPerSecond: 1, act });
  local.karmadas.onChange(({ type, object, previous }) => {
    const [before, after] =
      type === 'deleted'
        ? ['rolling', 'none']
        : [previous ? cachedRolloutState(previous) : 'none', cachedRolloutState(object)];
    if (before !== after && ['rolling', 'failed'].includes(before)) ends.add('');
  });
}
