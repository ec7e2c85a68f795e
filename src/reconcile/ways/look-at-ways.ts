/** Looks whether components are found where requests to them are sent. */
import type { Step } from '../../components/component.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import { isReachable } from './route.ts';
import { afterLook, type Way, type Ways } from './ways.ts';

/** Short, since an attempt made too early never ends well: the next one may. */
const TIMEOUT_MS = 250;

/** @param before what is known of the ways; those that are open are not looked at again */
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
