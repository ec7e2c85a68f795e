/** Probes the Services of components before requests are routed to them. */
import type { Step } from '../../components/component.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import { isReachable } from './route.ts';
import { afterLook, type Way, type Ways } from './ways.ts';

/** Probe timeout. Short, because kube-proxy drops packets to a Service that it has not programmed; a retry succeeds. */
const TIMEOUT_MS = 250;

/**
 * Probes the targets in parallel.
 * @param before previous results; reachable targets are not probed again
 * @returns the new results
 */
export async function lookAtWays(before: Ways, ways: readonly Way[], clock: Clock): Promise<Ways> {
  const reached = new Set<Step>();
  await Promise.all(
    ways
      .filter(({ step }) => before.get(step) !== 'open')
      .map(async ({ step, address, port }) => {
        if (await isReachable(address, port, TIMEOUT_MS)) reached.add(step);
      }),
  );
  return afterLook(before, ways, reached, clock.monotonic());
}
