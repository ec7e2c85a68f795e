/**
 * Decides what a reconcile does: from the snapshot to the desired state and the plan. Pure function; the operator
 * executes its plan, and the `plan` command shows it.
 */
import type { Templates } from '../../components/render.ts';
import { gateRollout, type RolloutContext } from './rollout-gate.ts';
import type { RolloutTurn } from '../../instance/rollout-turn.ts';
import { planInstance, type Plan } from '../../features/components/plan.ts';
import { derived } from './derived.ts';
import { FEATURES } from './features.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { stepStates } from '../../features/components/steps.ts';
import { unreachableSteps, probeTargets } from '../../features/reachability/service-addresses.ts';
import type { ProbeTarget, Reachability } from '../../instance/probes.ts';
import type { Rendered } from '../../instance/desired-objects.ts';
import { desiredStateOf, type DesiredState } from '../../features/components/desired-state.ts';
import { recordActions } from '../../features/rollback/record-actions.ts';
import { rolledBackChange } from '../../features/rollback/rollback-status.ts';

export interface DecideInput {
  readonly snapshot: Snapshot;
  /** Undefined while there are no certificates. */
  readonly view: CertificatesView | undefined;
  readonly rollout: RolloutContext;
  /** Results of the probes that the last decision asked for. */
  readonly reachability: Reachability;
  /** From the last decision. */
  readonly rendered?: Rendered | undefined;
}

export interface Decision {
  /** Desired state that may be applied now; undefined while there are no certificates. */
  readonly desiredState?: DesiredState;
  readonly rollout: RolloutTurn;
  readonly plan: Plan;
  /** Services to probe before the next decision. */
  readonly probes: readonly ProbeTarget[];
}

/** Decides about one control plane. */
export function decide(templates: Templates, input: DecideInput): Decision {
  const { view } = input;
  const snapshot = derived(input.snapshot);
  const others = FEATURES.flatMap((feature) => feature.decide?.(snapshot) ?? []);
  if (view === undefined)
    return { rollout: { turn: 'go' }, plan: { actions: others, blockedChanges: [] }, probes: [] };
  const whole = desiredStateOf(templates, snapshot, view, input.rendered);
  const { desiredState, rollout } = gateRollout(whole, snapshot, input.rollout);
  const { desired, blockedChanges } = desiredState;
  const states = stepStates(desired, snapshot);
  // Service addresses of a remote host cluster are not reachable from here.
  const probes = snapshot.remote === undefined ? probeTargets(states, snapshot) : [];
  const closed = unreachableSteps(probes, input.reachability);
  const rolledBack = rolledBackChange(snapshot, states);
  const { actions, ...plan } = planInstance(
    {
      snapshot,
      desired,
      states,
      closed,
      blockedChanges: rolledBack ? [rolledBack, ...blockedChanges] : blockedChanges,
    },
    view,
  );
  const { waiting = new Map() } = plan;
  const records = recordActions({ snapshot, states, waiting, rollout }, input.rollout.before);
  const all = [...actions, ...others, ...records];
  return { desiredState, rollout, plan: { ...plan, actions: all }, probes };
}
