/** Metrics of the caches. */
import { Gauge, type Registry } from '@prometheus-io/client';
import type { DroppedNamespace, WatchState } from '../features/status/watch-states.ts';

/** All labels have fixed sets of values, so the number of Karmada objects and host clusters adds no time series. */
export function describeWatches(registers: Registry[], watches: () => readonly WatchState[]): void {
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
  new Gauge({
    name: 'karmada_operator_watch_age_seconds',
    help: 'Seconds since the API server last sent anything to the most silent watch, by cluster and resource. About 60 at most for a working watch.',
    labelNames: ['cluster', 'resource'],
    registers,
    collect() {
      this.reset();
      for (const [{ cluster, resource }, seconds] of oldest(watches()))
        this.set({ cluster, resource }, seconds);
    },
  });
}

/** The number of dropped namespaces is limited. */
export function describeDropped(
  registers: Registry[],
  dropped: () => readonly DroppedNamespace[],
): void {
  new Gauge({
    name: 'karmada_operator_dropped_namespaces',
    help: '1 for each namespace whose objects exceed a limit of the caches, by cluster (local, remote). The operator changes nothing in it.',
    labelNames: ['cluster', 'namespace'],
    registers,
    collect() {
      this.reset();
      for (const { cluster, namespace } of dropped()) this.set({ cluster, namespace }, 1);
    },
  });
}

/** The oldest watch of each kind of cluster and resource, with its age in seconds. */
function oldest(watches: readonly WatchState[]): Iterable<readonly [WatchState, number]> {
  const found = new Map<string, readonly [WatchState, number]>();
  for (const watch of watches) {
    const key = `${watch.cluster} ${watch.resource}`;
    const seconds = watch.ageMs / 1000;
    if (seconds >= (found.get(key)?.[1] ?? 0)) found.set(key, [watch, seconds]);
  }
  return found.values();
}
