import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What the operator measures about itself. */
export interface Metrics {
  /** Text in Prometheus' exposition format, and its content type. */
  expose(): Promise<{ body: string; type: string }>;
  reconciled(outcome: 'success' | 'error', seconds: number): void;
  leading(leads: boolean): void;
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

/** A registry of its own: nothing of it is shared with the module. */
export function createMetrics(version: string, clock: { aheadMs(): number }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  describeProcess(registers, version, clock);
  const leader = new Gauge({
    name: 'karmada_operator_leader',
    help: 'Whether this process is the one that works (1) or stands by (0).',
    registers,
  });
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
    leading: (leads) => leader.set(leads ? 1 : 0),
  };
}
