/** Keeps workloads unchanged until the control plane may roll for a new version of the operator: pure. */
import type { DesiredObjects } from '../../instance/desired-objects.ts';
import type { RolloutContext, RolloutTurn } from '../../instance/rollout-turn.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { rolloutState } from './other-control-planes.ts';
import { operatorDrivenChanges, rolloutTurnOf, withUntouched } from './rollout-order.ts';

interface GatedRollout {
  readonly desired: DesiredObjects;
  readonly rollout: RolloutTurn;
}

/** Returns the desired objects that may be applied now. */
export function gateRollout(
  desired: DesiredObjects,
  snapshot: Snapshot,
  { before, isRequested, limit, siblings: others }: RolloutContext,
): GatedRollout {
  const changes = operatorDrivenChanges(desired, snapshot, before, isRequested);
  const marked = ['rolling', 'failed'].includes(rolloutState(before));
  const siblings = changes.length === 0 || marked ? [] : others();
  const { namespace = '' } = snapshot.karmada.metadata;
  const rollout = rolloutTurnOf({ changes, marked, namespace, siblings, limit });
  if (rollout.turn === 'go') return { desired, rollout };
  return { desired: withUntouched(desired, snapshot.host.objects, changes), rollout };
}
