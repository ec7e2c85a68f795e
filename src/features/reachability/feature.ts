import type { CheckInput, Feature } from '../../actions/feature.ts';
import { unreachableSteps } from './service-addresses.ts';

/** Delay until the next probe of a Service. No event signals that it becomes reachable. */
const PROBE_AGAIN_MS = 100;

function msUntilCheck({ instance }: CheckInput): number {
  const { probes = [], reachability = new Map() } = instance;
  if (unreachableSteps(probes, reachability).size === 0) return Infinity;
  return probes.some(({ step }) => !reachability.has(step)) ? 1 : PROBE_AGAIN_MS;
}

/** Whether the Services of the components are reachable. */
export const reachability = { name: 'reachability', msUntilCheck } satisfies Feature<unknown>;
