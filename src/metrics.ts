import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { WatchState } from './reconcile/sources.ts';

/** What the operator measures about itself. */
export interface Metrics {
  /** Text in Prometheus' exposition format, and its content type. */
  expose(): Promise<{ body: string; type: string }>;
  reconciled(outcome: 'success' | 'error', seconds: number): void;
  leading(leads: boolean): void;
  /** Whether this process waits for an operator of another installation to end. */
  waiting(waits: boolean): void;
  /** Fields and rules that the served CRD lacks. */
  crdLacks(count: number): void;
  /** Control planes without a Karmada. */
  orphans(count: number): void;
}

function describeProcess(
  registers: Registry[],
  version: string,
  clock: { aheadMs(): number },
): void {
  new Gauge({
    name: 'karmada_operator_build_info',
    help: 'Version of the operator; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  new Gauge({
    name: 'karmada_operator_clock_ahead_seconds',
    help: "By how much the node's clock is ahead of the API server's, which is used; below zero: behind.",
    registers,
    collect() {
      this.set(clock.aheadMs() / 1000);
    },
  });
}

/** Labels are from fixed lists, whatever the number of Karmadas and hosts. */
function describeWatches(registers: Registry[], watches: () => readonly WatchState[]): void {
  new Gauge({
    name: 'karmada_operator_watches',
    help: 'Watches by cluster (local, remote, control-plane), resource and state (fresh, reading, failing, silent).',
    labelNames: ['cluster', 'resource', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { cluster, resource, state } of watches()) this.inc({ cluster, resource, state });
    },
  });
}

/** What is checked now and then; without a value until the first check. */
function describeChecks(registers: Registry[]): Pick<Metrics, 'crdLacks' | 'orphans'> {
  const gauge = (name: string, help: string): ((count: number) => void) => {
    const known = new Gauge({ name, help, labelNames: [], registers });
    known.remove();
    return (count) => known.set(count);
  };
  return {
    crdLacks: gauge(
      'karmada_operator_crd_lacks',
      'Fields and rules of the CRD this operator was built for that the served CRD does not have.',
    ),
    orphans: gauge(
      'karmada_operator_orphaned_control_planes',
      'Control planes that run although their Karmada object is gone.',
    ),
  };
}

function describeTerm(registers: Registry[]): Pick<Metrics, 'leading' | 'waiting'> {
  const leader = new Gauge({
    name: 'karmada_operator_leader',
    help: 'Whether this process is the one that works (1) or stands by (0).',
    registers,
  });
  const waiting = new Gauge({
    name: 'karmada_operator_waits_for_other_operator',
    help: 'Whether an operator of another installation manages the Karmadas of this cluster, and this one waits (1).',
    registers,
  });
  return {
    leading: (leads) => leader.set(leads ? 1 : 0),
    waiting: (waits) => waiting.set(waits ? 1 : 0),
  };
}

/** A registry of its own: nothing of it is shared with the module. */
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
    help: 'Reconciles of Karmada objects by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'karmada_operator_reconcile_seconds',
    help: 'Time of one reconcile.',
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
