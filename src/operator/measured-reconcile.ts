import type { Clock } from '../kubernetes/time/clock.ts';
import type { Origin, Origins, ReadBudget } from '../kubernetes/fairness/origin.ts';
import { ReadBudgets } from '../kubernetes/client/read-budget.ts';
import type { WorkQueue } from '../kubernetes/workqueue/queue.ts';
import type { Reconciler } from '../kubernetes/workqueue/reconciler.ts';
import type { Reconcile } from '../kubernetes/workqueue/worker.ts';
import type { Metrics } from '../metrics/metrics-interface.ts';

export interface MeasuredOptions {
  readonly reconciler: Pick<Reconciler, 'reconcile' | 'flowOf'>;
  readonly queue: Pick<WorkQueue, 'priorityOf'>;
  readonly origins: Pick<Origins, 'run'>;
  readonly metrics: Pick<Metrics, 'reconciled'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Called before each reconcile. */
  readonly onBegin: () => void;
}

/** The reconcile function with metrics for its result and duration. Its calls have the object as their origin. */
export function measured(options: MeasuredOptions): Reconcile {
  const { reconciler, origins, metrics, clock, onBegin } = options;
  const budgets = new ReadBudgets();
  return async (key, signal) => {
    onBegin();
    const began = clock.monotonic();
    const seconds = (): number => (clock.monotonic() - began) / 1000;
    const reads = budgets.begin(reconciler.flowOf(key).group);
    try {
      const result = await origins.run(originOf(key, options, reads), () =>
        reconciler.reconcile(key, signal),
      );
      metrics.reconciled('success', seconds());
      return result;
    } catch (error) {
      metrics.reconciled('error', seconds());
      throw error;
    } finally {
      reads.end();
    }
  };
}

/** Origin of the calls of a reconcile. Its priority rises when an event adds the key again. */
function originOf(key: string, { reconciler, queue }: MeasuredOptions, reads: ReadBudget): Origin {
  const { group } = reconciler.flowOf(key);
  return {
    flow: { group, tenant: key },
    reads,
    get priority() {
      return queue.priorityOf(key);
    },
  };
}
