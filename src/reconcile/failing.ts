/** A pass that fails altogether comes to no status: what is told of it then. */
import type { Problem } from '../api/problem.ts';
import { errorText, isOwnFault } from '../kubernetes/errors.ts';
import type { Reconcile } from '../kubernetes/worker.ts';
import { karmadaOf, type Local } from '../hosts/host.ts';
import type { Instances } from './instance.ts';
import { FAILING, failingStatus } from './status/status-idle.ts';
import { currentStatus, writeStatus, type StatusTools } from './status/status-writer.ts';

export interface FailingTools extends StatusTools {
  readonly local: Pick<Local, 'client' | 'karmadas'>;
  readonly instances: Instances;
}

/** A conflict or a server that starts anew is over sooner; milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * The same work, which tells in the status when it fails: at once when the operator itself is at fault, and else when
 * nothing has succeeded for ten seconds. The error goes on to the caller.
 */
export function tellingOfFailures(reconcile: Reconcile, tools: FailingTools): Reconcile {
  const since = new Map<string, number>();
  return async (key, signal) => {
    try {
      const result = await reconcile(key, signal);
      since.delete(key);
      return result;
    } catch (error) {
      const now = tools.clock.monotonic();
      const first = since.get(key) ?? now;
      since.set(key, first);
      const told = isOwnFault(error) || now - first >= PATIENCE_MS;
      // An API server that takes no status either shows in the log.
      if (told && !signal.aborted) await tell(tools, key, error).catch(() => undefined);
      throw error;
    }
  };
}

async function tell(tools: FailingTools, key: string, error: unknown): Promise<void> {
  const karmada = karmadaOf(tools.local, key);
  if (karmada === undefined) return;
  const instance = tools.instances.get(key);
  const context = { before: currentStatus(instance, karmada), now: tools.clock.wall() };
  await writeStatus(tools, instance, karmada, failingStatus(karmada, causeOf(error), context));
}

function causeOf(error: unknown): Problem {
  if (!isOwnFault(error))
    return { reason: FAILING.refused, message: `${errorText(error)}; it is tried again` };
  // Its text may quote what was being read.
  const message = `the operator failed by a fault of its own (${error.name}): report it with the error in the operator's log; it is tried again`;
  return { reason: FAILING.fault, message };
}
