import type { CheckInput, Feature } from '../../actions/feature.ts';
import type { ObserveContext } from '../../actions/observers.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { probeServices } from './probe.ts';
import { probeTargets, unreachableSteps } from './service-addresses.ts';

/** Delay until the next probe of a Service. No event signals that it becomes reachable. */
const PROBE_AGAIN_MS = 100;

function msUntilCheck({ instance }: CheckInput): number {
  const { probes = [], reachability = new Map() } = instance;
  if (unreachableSteps(probes, reachability).size === 0) return Infinity;
  return probes.some(({ step }) => !reachability.has(step)) ? 1 : PROBE_AGAIN_MS;
}

/** Whether the Services of the components are reachable. */
export const reachability = {
  name: 'reachability',
  observers: {
    // Probes the Services that the last decision named.
    probe: async ({ tools: { clock }, instance }: ObserveContext<{ readonly clock: Clock }>) => {
      const { reachability: before = new Map(), probes = [] } = instance;
      instance.reachability = await probeServices(before, probes, clock);
    },
  },
  probes: (states, snapshot, results) => {
    // Service addresses of a remote host cluster are not reachable from here.
    const targets = snapshot.remote === undefined ? probeTargets(states, snapshot) : [];
    return { targets, closed: unreachableSteps(targets, results) };
  },
  msUntilCheck,
} satisfies Feature<unknown, { readonly clock: Clock }>;
