/** Metrics of the operator process, and the text of the metrics endpoint. */
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { callMetrics } from './call-metrics.ts';
import { ControlPlaneText } from './control-plane-text.ts';
import type { Metrics, MetricSources } from './metrics-interface.ts';
import { phaseText } from './phases.ts';
import { checkMetrics, describeProcess, termMetrics } from './process-metrics.ts';
import { describeQueue, reconcileMetrics } from './reconcile-metrics.ts';
import { describeDropped, describeWatches } from './watch-metrics.ts';

const NOTHING: MetricSources = {
  watches: () => [],
  droppedNamespaces: () => [],
  controlPlanes: () => [],
  backups: () => [],
  queue: () => ({ waiting: 0, delayed: 0, failing: 0, processing: 0, longestMs: 0 }),
};

/**
 * The utilization of the event loop is a default metric that the library samples 10 times a second, in 13 buckets and 5 windows. The
 * operator is idle most of the time, so it samples with the usual interval of scrapes, and keeps only what an alert could use.
 */
const EVENT_LOOP = {
  eventLoopUtilizationTimeout: 15_000,
  eventLoopUtilizationAgeBuckets: 1,
  eventLoopUtilizationPercentiles: [0.99],
  eventLoopUtilizationBuckets: [0.5, 0.9, 1],
};

/**
 * Creates the metrics with a separate registry, so that several instances can exist in one process.
 * @param version of the operator, for the build info
 * @param clock gives the skew of the node clock in milliseconds
 */
export function createMetrics(version: string, clock: { aheadMs(): number }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, ...EVENT_LOOP });
  let sources: MetricSources = NOTHING;
  describeProcess(registers, version, clock);
  describeWatches(registers, () => sources.watches());
  describeDropped(registers, () => sources.droppedNamespaces());
  describeQueue(registers, () => sources.queue());
  const text = new ControlPlaneText();
  const term = termMetrics(registers);
  const reconciles = reconcileMetrics(registers);
  let leads = false;
  // Standby replicas have the same caches. If they reported control planes too, sums would count each one twice.
  const ofLeader = (): readonly Uint8Array[] => {
    if (!leads) return [];
    const all = sources.controlPlanes();
    return [Buffer.from(phaseText(all)), ...text.of(all, sources.backups())];
  };
  return {
    read: (given) => void (sources = { ...sources, ...given }),
    expose: async () => ({
      body: [Buffer.from(await registry.metrics()), ...ofLeader()],
      type: registry.contentType,
    }),
    ...callMetrics(registers),
    ...checkMetrics(registers),
    ...reconciles,
    becameReady: (seconds) => void (leads && reconciles.becameReady(seconds)),
    waiting: (waits) => term.waiting(waits),
    leading(now) {
      leads = now;
      term.leading(now);
    },
  };
}
