/** Periodic checks of the management cluster for changes that cause no watch event, and of what is kept in memory. */
import { every, type Clock } from '../../kubernetes/time/clock.ts';
import { firstStale } from '../../kubernetes/informers/freshness.ts';
import { keyOf, keyText } from '../../kubernetes/objects/resources.ts';
import type { ManagementCluster } from '../../host-clusters/host.ts';
import type { InstanceCaches } from '../../instance/instance-cache.ts';
import { hostReference } from '../../host-clusters/host-reference.ts';
import { StaleWatchMonitor } from './stale-watch-monitor.ts';
import { staleTexts, type Sources } from '../../features/status/watch-states.ts';

/** Interval between checks of the operator permissions in the management cluster, in milliseconds. */
const RIGHTS_CHECK_MS = 30_000;
/**
 * Interval in milliseconds after which what was rendered is freed unless it was used. It is longer than pauses within an installation.
 * With many control planes, the operator is never idle as a whole.
 */
const FREE_UNUSED_MS = 20_000;

/**
 * Creates the periodic checks of cache freshness, operator permissions and memory. They run after `start`.
 * @param enqueue adds a Karmada (`namespace/name`) to the work queue
 */
export function periodicChecks(
  { clock }: { readonly clock: Clock },
  sources: Sources & {
    readonly local: ManagementCluster;
    readonly instances: Pick<InstanceCaches, 'freeUnused'>;
  },
  enqueue: (key: string) => void,
): Pick<StaleWatchMonitor, 'overdue' | 'start' | 'close'> {
  const { local, instances } = sources;
  const isOverdue = (): boolean => firstStale(local.informers) !== undefined;
  const readStale = (): ReturnType<typeof staleTexts> => staleTexts(sources);
  const options = { clock, readStale, isOverdue, onChange: enqueue };
  const monitor = new StaleWatchMonitor(options);
  let cancels: readonly (() => void)[] = [];
  return {
    overdue: monitor.overdue,
    start() {
      monitor.start();
      const free = (): void => instances.freeUnused();
      cancels = [checkRights(local, clock, enqueue), every(FREE_UNUSED_MS, free, clock)];
    },
    close() {
      monitor.close();
      for (const cancel of cancels) cancel();
    },
  };
}

/**
 * Checks the operator permissions in the management cluster periodically.
 * @param enqueue called for each Karmada with its control plane in this cluster when the missing permissions change
 * @returns a function that stops the checks
 */
function checkRights(
  local: ManagementCluster,
  clock: Clock,
  enqueue: (key: string) => void,
): () => void {
  const onChange = (): void => {
    for (const karmada of local.karmadas.cache.list())
      if (hostReference(karmada) === undefined) enqueue(keyText(keyOf(karmada)));
  };
  const check = (): void =>
    local.rights.look({ namespaces: () => local.scope?.namespaces ?? [], onChange });
  check();
  return every(RIGHTS_CHECK_MS, check, clock);
}
