/**
 * Decides what a reconcile does: from the snapshot to the desired state and the plan. Pure function; the operator
 * executes its plan, and the `plan` command shows it.
 */
import type { Templates } from '../components/render.ts';
import { memberActions } from './members/members.ts';
import { inTurn, type RolloutContext } from './operator-rollout/in-turn.ts';
import type { Turn } from './operator-rollout/turn.ts';
import { planInstance, type Plan } from './plan.ts';
import { kubeconfigActions } from './remote/remote.ts';
import type { CertificatesView, Snapshot } from './snapshot.ts';
import { stepStates } from './steps.ts';
import { closedSteps, waysToLookAt, type Way, type Ways } from './ways/ways.ts';
import { wishOf, type Rendered, type Wish } from './wish.ts';

export interface DecideInput {
  readonly snapshot: Snapshot;
  /** Undefined while there are no certificates. */
  readonly view: CertificatesView | undefined;
  readonly rollout: RolloutContext;
  /** Results of the probes that the last decision asked for. */
  readonly ways: Ways;
  /** From the last decision. */
  readonly rendered?: Rendered | undefined;
}

export interface Decision {
  /** Desired state that may be applied now; undefined while there are no certificates. */
  readonly wish?: Wish;
  readonly rollout: Turn;
  readonly plan: Plan;
  /** Services to probe before the next decision. */
  readonly probes: readonly Way[];
}

/** Decides about one control plane. */
export function decide(templates: Templates, input: DecideInput): Decision {
  const { snapshot, view } = input;
  const besides = [...memberActions(snapshot), ...kubeconfigActions(snapshot)];
  if (view === undefined)
    return { rollout: { turn: 'go' }, plan: { actions: besides, holds: [] }, probes: [] };
  const whole = wishOf(templates, snapshot, view, input.rendered);
  const { wish, rollout } = inTurn(whole, snapshot, input.rollout);
  const { desired, holds } = wish;
  const states = stepStates(desired, snapshot);
  // Service addresses of a remote host cluster are not reachable from here.
  const probes = snapshot.remote === undefined ? waysToLookAt(states, snapshot) : [];
  const closed = closedSteps(probes, input.ways);
  const { actions, ...plan } = planInstance({ snapshot, desired, states, holds, closed }, view);
  return { wish, rollout, plan: { ...plan, actions: [...actions, ...besides] }, probes };
}
