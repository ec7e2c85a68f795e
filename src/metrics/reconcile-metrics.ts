/** Metrics of reconciles and of the work queue. */
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { QueueState } from '../kubernetes/workqueue/queue-state.ts';
import { errorReason } from '../actions/reconcile-record.ts';
import type { Metrics } from './metrics-interface.ts';

const PREFIX = 'karmada_operator_';

type Errors = Pick<Metrics, 'failed' | 'ended'>;
type Reconciles = Errors & Pick<Metrics, 'reconciled' | 'taken' | 'repaired' | 'becameReady'>;

/** Name, help and buckets in seconds. */
const TIMES = {
  reconcile: [
    'reconcile_seconds',
    'Duration of one reconcile in seconds.',
    [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ],
  wait: [
    'queue_wait_seconds',
    'Time that a Karmada object waited in the queue until its reconcile started.',
    [0.001, 0.01, 0.1, 1, 10, 60],
  ],
  ready: [
    'time_to_ready_seconds',
    'Time from the creation of a Karmada object until its control plane was ready for the first time.',
    [15, 30, 45, 60, 90, 120, 180, 300, 600, 1800],
  ],
} as const;

/** Name, help and labels. */
const COUNTS = {
  total: [
    'reconcile_total',
    'Number of reconciles of Karmada objects by outcome (success, error).',
    ['outcome'],
  ],
  failed: [
    'reconcile_errors_total',
    'Number of failed or rejected actions by step (component, kind of action, or reconcile for one that ended early) and reason.',
    ['step', 'reason'],
  ],
  repaired: [
    'repairs_total',
    'Number of objects whose drift the operator removed, or that it recreated, by kind.',
    ['kind'],
  ],
} as const;

type Label = (typeof COUNTS)[keyof typeof COUNTS][2][number];

/** Metrics of reconciles. */
export function reconcileMetrics(registers: Registry[]): Reconciles {
  const time = (key: keyof typeof TIMES): Histogram => {
    const [name, help, buckets] = TIMES[key];
    return new Histogram({ name: `${PREFIX}${name}`, help, buckets: [...buckets], registers });
  };
  const count = (key: keyof typeof COUNTS): Counter<Label> => {
    const [name, help, labelNames] = COUNTS[key];
    return new Counter({ name: `${PREFIX}${name}`, help, labelNames: [...labelNames], registers });
  };
  const [total, failed, repaired] = [count('total'), count('failed'), count('repaired')];
  const [seconds, wait, ready] = [time('reconcile'), time('wait'), time('ready')];
  return {
    reconciled(outcome, duration) {
      total.inc({ outcome });
      seconds.observe(duration);
    },
    taken: (waited) => wait.observe(waited),
    ...errorCounts(failed),
    repaired: (kind) => repaired.inc({ kind }),
    becameReady: (duration) => ready.observe(duration),
  };
}

/** Counts each error once, also if an action threw it and the reconcile then ended with it. */
function errorCounts(counter: Counter<Label>): Errors {
  const counted = new WeakSet<object>();
  return {
    failed(step, reason, error) {
      if (error instanceof Error) counted.add(error);
      counter.inc({ step, reason });
    },
    ended(error) {
      const isCounted = error instanceof Error && counted.delete(error);
      if (!isCounted) counter.inc({ step: 'reconcile', reason: errorReason(error) });
    },
  };
}

const QUEUE: readonly (readonly [string, string, (state: QueueState) => number])[] = [
  ['depth', 'Number of Karmada objects that wait for a reconcile.', ({ waiting }) => waiting],
  ['delayed', 'Number of Karmada objects that are reconciled later.', ({ delayed }) => delayed],
  [
    'failing',
    'Number of Karmada objects whose last reconcile failed, and which the operator retries.',
    ({ failing }) => failing,
  ],
  ['in_progress', 'Number of running reconciles.', ({ processing }) => processing],
  [
    'longest_running_seconds',
    'Duration of the longest running reconcile.',
    ({ longestMs }) => longestMs / 1000,
  ],
];

/** Gauges of the work queue, read at each scrape. */
export function describeQueue(registers: Registry[], queue: () => QueueState): void {
  for (const [name, help, valueOf] of QUEUE)
    new Gauge({
      name: `${PREFIX}queue_${name}`,
      help,
      registers,
      collect() {
        this.set(valueOf(queue()));
      },
    });
}
