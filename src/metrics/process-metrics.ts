/** Metrics of the process itself: version, clock, leader election, periodic checks. */
import { Gauge, type Registry } from '@prometheus-io/client';
import type { Metrics } from './metrics-interface.ts';

/** Version and clock. */
export function describeProcess(
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

/** Metrics of the hourly checks. They have no value before the first check. */
export function checkMetrics(registers: Registry[]): Pick<Metrics, 'crdLacks' | 'orphans'> {
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

/** Metrics of the leader election. */
export function termMetrics(registers: Registry[]): Pick<Metrics, 'leading' | 'waiting'> {
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
