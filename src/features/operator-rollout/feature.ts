import type { Feature } from '../../actions/feature.ts';
import { spread } from '../../kubernetes/time/clock.ts';
import { rolloutState } from './other-control-planes.ts';
import { gateRollout } from './rollout-gate.ts';
import { rolloutConditions } from './rollout-order.ts';

/**
 * Delay while a control plane waits for its turn. The end of another rollout requeues as many as may start, so this only matters if
 * one of these cannot be reconciled.
 */
const WAITING_MS = 180_000;

/** The order in which control planes roll for a new version of the operator. */
export const operatorRollout = {
  name: 'rollout of a new operator',
  gate: gateRollout,
  conditions: ({ rollout, problem, before, isReady }) => {
    const marked = ['rolling', 'failed'].includes(rolloutState(before));
    return rolloutConditions(rollout, { marked, ready: isReady, failure: problem?.message });
  },
  msUntilCheck: ({ awaitsTurn, random }) => (awaitsTurn ? spread(WAITING_MS, random) : Infinity),
} satisfies Feature<unknown>;
