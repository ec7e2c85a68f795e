import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { WatchState } from './reconcile/watch-states.ts';

/** Metrics of the operator process. */
export interface Metrics {
  /** Metrics in the Prometheus text format, with the content type. */
  expose(): Promise<{ body: string; type: string }>;
  reconciled(outcome: 'success' | 'error', seconds: number): void;
  leading(leads: boolean): void;
  /** Whether this process waits until another operator installation stops. */
  waiting(waits: boolean): void;
  /** Number of fields and validation rules that are missing in the served CRD. */
  crdLacks(count: number): void;
  /** Number of control planes without a Karmada object. */
  orphans(count: number): void;
}

function describeProcess(
  registers: Registry[],
  version: string,
  clock: { aheadMs(): number },
): void {
  new Gauge({
    name: 'karmada_operator_build_info',
    help: 'Operator version in the label "version"; the value is always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  new Gauge({
    name: 'karmada_operator_clock_ahead_seconds',
    help: 'Seconds by which the node clock is ahead of the API server clock; negative if it is behind.',
    registers,
    collect() {
      this.set(clock.aheadMs() / 1000);
    },
  });
}

/** All labels have fixed sets of values, so the number of Karmada objects and host clusters adds no time series. */
function describeWatches(registers: Registry[], watches: () => readonly WatchState[]): void {
  new Gauge({
    name: 'karmada_operator_watches',
    help: 'Number of watches by cluster (local, remote, control-plane), resource and state (fresh, reading, failing, silent).',
    labelNames: ['cluster', 'resource', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { cluster, resource, state } of watches()) this.inc({ cluster, resource, state });
    },
  });
}

/** Metrics of the hourly checks. They have no value before the first check. */
function describeChecks(registers: Registry[]): Pick<Metrics, 'crdLacks' | 'orphans'> {
  const gauge = (name: string, help: string): ((count: number) => void) => {
    const known = new Gauge({ name, help, labelNames: [], registers });
    known.remove();
    return (count) => known.set(count);
  };
  return {
    crdLacks: gauge(
      'karmada_operator_crd_lacks',
      'Number of fields and validation rules that this operator version needs and the served CRD lacks.',
    ),
    orphans: gauge(
      'karmada_operator_orphaned_control_planes',
      'Number of control planes that run without a Karmada object.',
    ),
  };
}

function describeTerm(registers: Registry[]): Pick<Metrics, 'leading' | 'waiting'> {
  const leader = new Gauge({
    name: 'karmada_operator_leader',
    help: '1 if this process is the leader, 0 if it is a standby.',
    registers,
  });
  const waiting = new Gauge({
    name: 'karmada_operator_waits_for_other_operator',
    help: '1 if this process waits because another operator installation manages the Karmada objects, else 0.',
    registers,
  });
  return {
    leading: (leads) => leader.set(leads ? 1 : 0),
    waiting: (waits) => waiting.set(waits ? 1 : 0),
  };
}

/**
 * Creates the metrics with a separate registry, so that several instances can exist in one process.
 * @param version of the operator, for the build info
 * @param clock gives the skew of the node clock in milliseconds
 * @param watches gives the current state of all watches
 */
export function createMetrics(
  version: string,
  clock: { aheadMs(): number },
  watches: () => readonly WatchState[],
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  describeProcess(registers, version, clock);
  describeWatches(registers, watches);
  const total = new Counter({
    name: 'karmada_operator_reconcile_total',
    help: 'Number of reconciles of Karmada objects by outcome (success, error).',
    labelNames: ['outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'karmada_operator_reconcile_seconds',
    help: 'Duration of one reconcile in seconds.',
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  return {
    expose: async () => ({ body: await registry.metrics(), type: registry.contentType }),
    reconciled(outcome, duration) {
      total.inc({ outcome });
      seconds.observe(duration);
    },
    ...describeChecks(registers),
    ...describeTerm(registers),
  };
}
