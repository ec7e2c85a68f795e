/** Probes the Services of components before requests are routed to them. */
import type { Step } from '../../components/component.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { isReachable } from './api-server-dialer.ts';
import { withProbeResults } from './service-addresses.ts';
import type { ProbeTarget, Reachability } from '../../instance/probes.ts';

/** Probe timeout. Short, because kube-proxy drops packets to a Service that it has not programmed; a retry succeeds. */
const TIMEOUT_MS = 250;

/**
 * Probes the targets in parallel.
 * @param before previous results; reachable targets are not probed again
 * @returns the new results
 */
export async function probeServices(
  before: Reachability,
  targets: readonly ProbeTarget[],
  clock: Clock,
): Promise<Reachability> {
  const reached = new Set<Step>();
  await Promise.all(
    targets
      .filter(({ step }) => before.get(step) !== 'open')
      .map(async ({ step, address, port }) => {
        if (await isReachable(address, port, TIMEOUT_MS)) reached.add(step);
      }),
  );
  return withProbeResults(before, targets, reached, clock.monotonic());
}
