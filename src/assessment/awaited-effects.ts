/** Decides whether the status waits for the effects of what the operator has written. Pure functions. */
import type { KarmadaStatus } from '../api/karmada.ts';
import { isReadyFor } from '../control-plane-access/readiness-gate.ts';
import type { Assessment, Unfinished } from '../actions/assessment.ts';

/** Time in milliseconds for which the operator keeps the previous status until the controllers observe its changes. */
const UNOBSERVED_MS = 10_000;

type Judged = Pick<
  Assessment,
  'states' | 'unfinished' | 'problem' | 'blocked' | 'rollout' | 'outcome'
>;

/** What an unfinished step awaits. */
type Awaited = 'write' | 'controller' | 'more';

const awaitedBy =
  ({ states, outcome: { lateSteps = [] } }: Pick<Judged, 'states' | 'outcome'>) =>
  ({ step }: Unfinished): Awaited => {
    if (lateSteps.some((late) => late === step)) return 'write';
    return [...states].some(([name, state]) => name === step && state.isUnobserved)
      ? 'controller'
      : 'more';
  };

/** What the unfinished steps await; undefined if the control plane lacks anything else. */
function awaitedEffects(judged: Judged): ReadonlySet<Awaited> | undefined {
  const { unfinished, problem, blocked } = judged;
  const awaited = new Set(unfinished.map(awaitedBy(judged)));
  return awaited.has('more') || problem !== undefined || blocked !== undefined
    ? undefined
    : awaited;
}

/**
 * Whether the control plane lacks nothing but controllers that observe the latest generation of workloads, whose Pods are
 * all available, besides the end of writes. For example, a new version of the operator may change a StatefulSet so that no Pod
 * restarts.
 */
export const isUnobserved = (judged: Judged): boolean =>
  awaitedEffects(judged)?.has('controller') === true && judged.rollout.turn === 'go';

/**
 * Whether a Ready control plane lacks nothing but the effects of writes: the end of writes to it, and controllers that observe what
 * was written to the host cluster. Its status then stays unchanged, because `Ready` would be False for a moment after each repair
 * that takes longer, and after each change that restarts no Pod. An error of a write ends this, and so does a change of the spec.
 * @param unobservedMs milliseconds since controllers are awaited; after 10 seconds the status says so
 */
export function awaitsOnlyEffects(
  assessment: Assessment,
  before: KarmadaStatus,
  unobservedMs: number,
): boolean {
  const { snapshot, outcome } = assessment;
  const awaited = awaitedEffects(assessment);
  if (awaited === undefined || !isReadyFor(before, snapshot.karmada.metadata.generation))
    return false;
  return awaited.has('controller')
    ? isUnobserved(assessment) && unobservedMs < UNOBSERVED_MS
    : (outcome.lateSteps ?? []).length > 0;
}
