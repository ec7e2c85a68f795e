/** Reconciler of the kinds of backups. It watches them only while their CRDs are installed. */
import {
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
  karmadaRestores,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
  type KarmadaBackupStore,
  type KarmadaRestore,
} from '../../api/backup/kinds.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { Clock, Log, Random } from '../../kubernetes/time/clock.ts';
import type { CacheQuota } from '../../kubernetes/informers/cache-quota/cache-quota.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import { informerGroup, type InformerGroup } from '../../kubernetes/informers/informer-group.ts';
import type { InformerOptions } from '../../kubernetes/informers/informer-options.ts';
import type { Reconciler } from '../../kubernetes/workqueue/reconciler.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { ReconcileResult } from '../../kubernetes/workqueue/worker.ts';
import { MemberComparisons } from '../../features/backups/member-comparisons.ts';
import { reconcileRestore } from './restore/reconcile-restore.ts';
import { BACKUP_LABEL } from '../../features/backups/job-pod.ts';
import type { BackupTools } from './pods/backup-objects.ts';
import { backupFacts, type BackupFacts } from './schedule/backup-facts.ts';
import { ScheduleIntervals } from './schedule/intervals.ts';
import {
  BACKUP,
  RESTORE,
  restoresByBackup,
  SCHEDULE,
  STORE,
  wireBackups,
  type Caches,
} from './wire-backups.ts';
import { reconcileBackup } from './backup/reconcile-backup.ts';
import { reconcileSchedule } from './schedule/reconcile-schedule.ts';
import type { HostedControlPlanes } from '../../features/backups/backup-cluster.ts';
import { servedKinds, type IsServed } from '../../features/backups/served-kinds.ts';
import { reconcileStore } from './store/reconcile-store.ts';

export interface BackupReconcilerOptions extends Pick<
  BackupTools,
  'image' | 'operatorVersion' | 'record'
> {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Watched namespaces; all if undefined. */
  readonly namespaces?: readonly string[] | undefined;
}

/** Pause while the cache of backups is filled, in milliseconds. */
const SYNC_MS = 1_000;
/** Pause while the caches contain no objects of the namespace, in milliseconds. */
const DROPPED_MS = 60_000;
/** Interval at which the operator looks for the CRDs, in milliseconds. */
const DISCOVERY_MS = 60_000;

function createCaches(
  { client, clock, random, log, namespaces }: BackupReconcilerOptions,
  of: CacheQuota | undefined,
): Caches {
  const quota = of && { quota: { of, keepsAll: true } };
  const group = <T extends KubernetesObject>(
    kind: Pick<InformerOptions<T>, 'type' | 'labelSelector' | 'indexes'>,
  ): InformerGroup<T> =>
    informerGroup({ client, clock, random, log, ...quota, ...kind }, namespaces);
  return {
    backups: group({ type: karmadaBackups }),
    schedules: group({ type: karmadaBackupSchedules }),
    restores: group({ type: karmadaRestores, indexes: restoresByBackup }),
    stores: group({ type: karmadaBackupStores }),
    pods: group({ type: resources.Pod, labelSelector: BACKUP_LABEL }),
  };
}

/** Adds the kinds of backups to the reconciler of Karmadas. */
export function withBackups(
  karmadas: Reconciler &
    Pick<HostedControlPlanes, 'clusterOf'> &
    Partial<Pick<HostedControlPlanes, 'controlPlaneOf' | 'quota'>>,
  options: BackupReconcilerOptions,
): Reconciler & { readonly backups: () => readonly BackupFacts[] } {
  const { clusterOf, controlPlaneOf = () => undefined, quota } = karmadas;
  const caches = createCaches(options, quota);
  const discovery = new Discovery(options, caches);
  const members = new MemberComparisons(options, controlPlaneOf);
  const intervals = new ScheduleIntervals();
  const tools = { ...options, clusterOf, members, intervals, ...(quota && { quota }) };
  return {
    backups: keptFacts(caches, intervals),
    synced: karmadas.synced,
    unready: () => karmadas.unready(),
    rest: () => karmadas.rest(),
    flowOf: (key) => karmadas.flowOf(karmadaKey(key, caches)),
    reconcile: (key, signal) =>
      key.includes(':') ? reconcileKind(key, caches, tools) : karmadas.reconcile(key, signal),
    start(queue) {
      karmadas.start(queue);
      wireBackups(caches, queue, options.clock);
      discovery.start();
    },
    async stop() {
      discovery.stop();
      members.close();
      await Promise.all(informersOf(caches).map((informer) => informer.stop()));
      await karmadas.stop();
    },
  };
}

const informersOf = (caches: Partial<Caches>): InformerGroup['informers'] =>
  Object.values(caches).flatMap(({ informers }: InformerGroup) => informers);

/** Facts that are derived again only after a change. */
function keptFacts(
  { backups, schedules }: Caches,
  intervals: ScheduleIntervals,
): () => readonly BackupFacts[] {
  let known: readonly BackupFacts[] | undefined;
  let changes = 0;
  for (const cache of [backups, schedules]) cache.onChange(() => (known = undefined));
  return () => {
    if (changes !== intervals.changes) known = undefined;
    changes = intervals.changes;
    return (known ??= backupFacts(backups.cache.list(), schedules.cache.list(), intervals.of));
  };
}

/** Key of the Karmada of a key: backups and restores of a slow host cluster delay only those of this cluster. */
function karmadaKey(key: string, caches: Caches): string {
  const { kind, backup, restore } = foundIn(key, caches);
  if (kind !== BACKUP && kind !== RESTORE) return key;
  const { metadata, spec } = backup ?? restore ?? {};
  return `${metadata?.namespace ?? ''}/${spec?.karmadaRef.name ?? ''}`;
}

/** The object of a key. None is set if it does not exist. */
interface Found {
  readonly kind: string;
  readonly namespace: string;
  readonly backup?: KarmadaBackup | undefined;
  readonly schedule?: KarmadaBackupSchedule | undefined;
  readonly restore?: KarmadaRestore | undefined;
  readonly store?: KarmadaBackupStore | undefined;
}

function foundIn(key: string, { backups, schedules, restores, stores }: Caches): Found {
  const [kind = '', rest = ''] = key.split(':');
  const [namespace = '', name = ''] = rest.split('/');
  const id = { namespace, name };
  if (kind === BACKUP) return { kind, namespace, backup: backups.cache.get(id) };
  if (kind === SCHEDULE) return { kind, namespace, schedule: schedules.cache.get(id) };
  if (kind === RESTORE) return { kind, namespace, restore: restores.cache.get(id) };
  return { kind, namespace, ...(kind === STORE && { store: stores.cache.get(id) }) };
}

type KindTools = BackupReconcilerOptions &
  BackupTools & { readonly quota?: CacheQuota; readonly intervals: ScheduleIntervals };

async function reconcileKind(
  key: string,
  caches: Caches,
  options: KindTools,
): Promise<ReconcileResult> {
  const { kind, namespace, backup, schedule, restore, store } = foundIn(key, caches);
  if (options.quota?.isLimited(namespace)) return { requeueAfterMs: DROPPED_MS };
  if (restore) return reconcileRestore(restore, options);
  if (store) return reconcileStore(store, options);
  if (backup) return reconcileBackup(backup, options);
  if (schedule === undefined) {
    options.members?.forget(key);
    if (kind === SCHEDULE) options.intervals.forget(key.slice(SCHEDULE.length + 1));
    return {};
  }
  const own = backupsIn(caches, namespace);
  options.intervals.learn(schedule);
  return own ? reconcileSchedule(schedule, own, options) : { requeueAfterMs: SYNC_MS };
}

/** The backups of a namespace; undefined while their cache is filled. */
function backupsIn({ backups }: Caches, namespace: string): KarmadaBackup[] | undefined {
  if (!backups.hasSyncedIn(namespace)) return undefined;
  return backups.cache.list().filter(({ metadata }) => metadata.namespace === namespace);
}

function start(caches: Partial<Caches>): void {
  for (const informer of informersOf(caches)) informer.start();
}

/** Looks until the API server serves all kinds, which needs no permission. An older installation lacks some of them. */
class Discovery {
  readonly #options: BackupReconcilerOptions;
  readonly #caches: Caches;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(options: BackupReconcilerOptions, caches: Caches) {
    this.#options = options;
    this.#caches = caches;
  }

  start(): void {
    const { clock, log } = this.#options;
    servedKinds(this.#options.client)
      .catch((error: unknown) => {
        log.warn({ error: errorText(error) }, 'discovery of backup kinds failed, will retry');
        return () => false;
      })
      .then((isServed) => {
        if (this.#isStopped || this.#startServed(isServed)) return;
        this.#cancel = clock.after(DISCOVERY_MS, () => this.start());
      })
      .catch((error: unknown) => log.error({ error: errorText(error) }, 'backup kinds failed'));
  }

  /** Starts the caches of the served kinds; starting one again has no effect. @returns whether all kinds are served */
  #startServed(isServed: IsServed): boolean {
    const { backups, schedules, restores, stores, pods } = this.#caches;
    const hasBackups = isServed(karmadaBackups) && isServed(karmadaBackupSchedules);
    if (hasBackups) start({ backups, schedules, pods });
    const hasRestores = hasBackups && isServed(karmadaRestores);
    if (hasRestores) start({ restores });
    const hasStores = isServed(karmadaBackupStores, 'status');
    if (hasStores) start({ stores });
    return hasRestores && hasStores;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }
}
