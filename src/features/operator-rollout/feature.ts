import type { Feature } from '../../actions/feature.ts';
import { spread } from '../../kubernetes/clock.ts';

/** Delay while a control plane waits for its turn. The end of another rollout also requeues it. */
const WAITING_MS = 60_000;

/** The order in which control planes roll for a new version of the operator. */
export const operatorRollout = {
  name: 'rollout of a new operator',
  msUntilCheck: ({ awaitsTurn, random }) => (awaitsTurn ? spread(WAITING_MS, random) : Infinity),
} satisfies Feature<unknown>;
