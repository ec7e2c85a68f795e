/** Looks whether components are found where requests to them are sent. */
import type { Step } from '../components/component.ts';
import type { Clock } from '../kubernetes/clock.ts';
import type { Host } from './host.ts';
import { isReachable } from './route.ts';
import type { Snapshot } from './snapshot.ts';
import type { StepStates } from './steps.ts';
import { afterLook, afterWait, waysToLookAt, type Way, type Ways } from './ways.ts';

/** Short, since an attempt made too early never ends well: the next one may. */
const TIMEOUT_MS = 250;

/** What is known of the ways now. @param before what was known of them */
export async function currentWays(
  before: Ways,
  states: StepStates,
  snapshot: Pick<Snapshot, 'host' | 'controlPlane'>,
  { clock, host }: { readonly clock: Clock; readonly host: Pick<Host, 'remote'> },
): Promise<Ways> {
  // From another cluster nobody reaches the address of a Service.
  if (host.remote !== undefined) return afterWait(before, states, clock.monotonic());
  return lookAtWays(before, waysToLookAt(states, snapshot), clock);
}

/** Looks at ways but for those that are open. */
async function lookAtWays(before: Ways, ways: readonly Way[], clock: Clock): Promise<Ways> {
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
