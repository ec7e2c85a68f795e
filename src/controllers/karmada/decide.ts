/**
 * Decides what a reconcile does: from the snapshot to the desired state and the plan. Pure function; the operator
 * executes its plan, and the `plan` command shows it.
 */
import type { Templates } from '../../components/render.ts';
import type { RolloutContext, RolloutTurn } from '../../instance/rollout-turn.ts';
import type { Plan, DesiredState } from '../../actions/planner.ts';
import { derived } from './derived.ts';
import { FEATURES, PLANNER } from './features.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { ProbeTarget, Reachability } from '../../instance/probes.ts';
import type { DesiredObjects, Rendered } from '../../instance/desired-objects.ts';

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
  const whole = PLANNER.desiredState(templates, snapshot, view, input.rendered);
  const { desired, rollout } = gated(whole.desired, snapshot, input.rollout);
  const desiredState = { ...whole, desired };
  const states = PLANNER.states(desired, snapshot);
  const probes = FEATURES.flatMap(
    (feature) => feature.probes?.(states, snapshot, input.reachability) ?? [],
  );
  const closed = new Set(probes.flatMap((probe) => [...probe.closed]));
  const blocked = FEATURES.flatMap((feature) => feature.blockedChanges?.(snapshot, states) ?? []);
  const blockedChanges = [...blocked, ...whole.blockedChanges];
  const { actions, ...plan } = PLANNER.plan(
    { snapshot, desired, states, closed, blockedChanges },
    view,
  );
  const { waiting = new Map() } = plan;
  const planned = { snapshot, states, waiting, rollout };
  const last = FEATURES.flatMap(
    (feature) => feature.decideLast?.(planned, input.rollout.before) ?? [],
  );
  const all = [...actions, ...others, ...last];
  const targets = probes.flatMap((probe) => probe.targets);
  return { desiredState, rollout, plan: { ...plan, actions: all }, probes: targets };
}

/** Returns the desired objects that all features allow, and the turn of the first one that does not allow all. */
const gated = (
  desired: DesiredObjects,
  snapshot: Snapshot,
  context: RolloutContext,
): { readonly desired: DesiredObjects; readonly rollout: RolloutTurn } =>
  FEATURES.reduce(
    (seen: ReturnType<typeof gated>, { gate }) => {
      const { desired: allowed, rollout } = gate?.(seen.desired, snapshot, context) ?? seen;
      return { desired: allowed, rollout: seen.rollout.turn === 'go' ? rollout : seen.rollout };
    },
    { desired, rollout: { turn: 'go' } },
  );
