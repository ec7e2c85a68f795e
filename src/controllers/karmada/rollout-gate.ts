/** Keeps workloads unchanged until the control plane may roll for a new version of the operator: pure. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { RolloutTurn } from '../../instance/rollout-turn.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { DesiredState } from '../../features/components/desired-state.ts';
import { rolloutState } from '../../features/operator-rollout/other-control-planes.ts';
import {
  rolloutTurnOf,
  operatorDrivenChanges,
  withUntouched,
  type RolloutLimit,
  type Sibling,
} from '../../features/operator-rollout/rollout-order.ts';

/** What decides whether a control plane may roll now, besides its own objects. */
export interface RolloutContext {
  readonly before: KarmadaStatus;
  /** Whether the spec has changed since the operator last wrote the status. */
  readonly isRequested: boolean;
  /** The other control planes of this operator; called only if Pods would be replaced. */
  readonly siblings: () => readonly Sibling[];
  readonly limit: RolloutLimit;
}

export interface GatedRollout {
  readonly desiredState: DesiredState;
  readonly rollout: RolloutTurn;
}

/** Returns the part of the desired state that may be applied now. */
export function gateRollout(
  desiredState: DesiredState,
  snapshot: Snapshot,
  context: RolloutContext,
): GatedRollout {
  const { before, isRequested, limit } = context;
  const changes = operatorDrivenChanges(desiredState.desired, snapshot, before, isRequested);
  const marked = ['rolling', 'failed'].includes(rolloutState(before));
  const siblings = changes.length === 0 || marked ? [] : context.siblings();
  const rollout = rolloutTurnOf({ changes, marked, siblings, limit });
  if (rollout.turn === 'go') return { desiredState, rollout };
  return {
    desiredState: {
      ...desiredState,
      desired: withUntouched(desiredState.desired, snapshot.host.objects, changes),
    },
    rollout,
  };
}
