import type { CheckInput, Feature } from '../../actions/feature.ts';
import { podsDigest } from '../../control-plane-access/pods-digest.ts';
import { readinessKey } from './check-readiness.ts';

/** Delay until the next functional checks. The end of checks that are running is an event. */
function msUntilCheck({ instance, snapshot, unfinished, clock }: CheckInput): number {
  const { failedReadiness: known, controlPlane } = instance;
  if (known === undefined || !unfinished.some(({ step }) => step === 'serving')) return Infinity;
  const isRunning =
    controlPlane?.calls.isRunning(readinessKey(podsDigest(snapshot.host.pods))) === true;
  return isRunning ? Infinity : Math.max(1, known.nextAt - clock.monotonic());
}

/** The functional checks before `Ready`. */
export const readiness = { name: 'readiness', msUntilCheck } satisfies Feature<unknown>;
