/** Error status of a reconcile that fails before it can write its own status. */
import type { Problem } from '../../api/reasons/problem.ts';
import { errorText, isInternalError } from '../../kubernetes/client/errors.ts';
import type { Reconcile } from '../../kubernetes/workqueue/worker.ts';
import { karmadaOf, type ManagementCluster } from '../../host-clusters/host.ts';
import { ReportedError } from './reported-error.ts';
import type { InstanceCaches } from '../../instance/instance-cache.ts';
import type { ReconcileRecord } from '../../actions/reconcile-record.ts';
import {
  RECONCILE_ERROR_REASONS,
  failingStatus,
} from '../../features/status/unreconciled-status.ts';
import { currentStatus, type StatusTools } from '../../features/status/status-writer.ts';
import { reportStatus } from '../../features/status/report-status.ts';

export interface ErrorStatusTools extends StatusTools {
  readonly local: Pick<ManagementCluster, 'client' | 'karmadas'>;
  readonly instances: InstanceCaches;
  readonly record?: ReconcileRecord;
}

/**
 * How long a reconcile may fail before the error is reported, in milliseconds. Conflicts and API server restarts end
 * sooner.
 */
const REPORT_AFTER_MS = 10_000;

/**
 * Wraps a reconcile function: writes its error to the status, unless that reports it already, then throws it. Reports an internal error at once,
 * and any other error after ten seconds without a successful reconcile.
 */
export function withErrorStatus(reconcile: Reconcile, tools: ErrorStatusTools): Reconcile {
  const { instances } = tools;
  const succeed = (key: string): void => {
    delete instances.peek(key)?.failingSince;
  };
  return async (key, signal) => {
    try {
      const result = await reconcile(key, signal);
      succeed(key);
      return result;
    } catch (thrown) {
      const error = thrown instanceof ReportedError ? thrown.cause : thrown;
      tools.record?.ended(error);
      if (error !== thrown) {
        succeed(key);
        throw error;
      }
      const now = tools.clock.monotonic();
      const first = (instances.get(key).failingSince ??= now);
      const reported = isInternalError(error) || now - first >= REPORT_AFTER_MS;
      // If the status write fails too, the error is only in the log.
      if (reported && !signal.aborted) await tell(tools, key, error).catch(() => undefined);
      throw error;
    }
  };
}

async function tell(tools: ErrorStatusTools, key: string, error: unknown): Promise<void> {
  const karmada = karmadaOf(tools.local, key);
  if (karmada === undefined) return;
  const instance = tools.instances.get(key);
  const context = { before: currentStatus(instance, karmada), now: tools.clock.wall() };
  await reportStatus(tools, instance, karmada, failingStatus(karmada, causeOf(error), context));
}

function causeOf(error: unknown): Problem {
  if (!isInternalError(error))
    return {
      reason: RECONCILE_ERROR_REASONS.refused,
      message: `${errorText(error)}; the operator retries`,
    };
  // The text of an internal error may contain data from a Secret.
  const message = `operator: internal error (${error.name}), the operator retries; report a bug with the error from the operator log`;
  return { reason: RECONCILE_ERROR_REASONS.fault, message };
}
