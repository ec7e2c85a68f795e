/** Reconciler of the kinds of backups. It watches them only while their CRDs are installed. */
import {
  BACKUP_GROUP,
  karmadaBackups,
  karmadaBackupSchedules,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
} from '../../api/backup/kinds.ts';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import type { Clock, Log, Random } from '../../kubernetes/clock.ts';
import { errorText } from '../../kubernetes/errors.ts';
import { Informer } from '../../kubernetes/informer.ts';
import type { WorkQueue } from '../../kubernetes/queue.ts';
import type { Reconciler } from '../../kubernetes/reconciler.ts';
import { keyOf, keyText, resources } from '../../kubernetes/resources.ts';
import { BACKUP_LABEL } from './backup-pod.ts';
import { reconcileBackup, type BackupTools } from './reconcile-backup.ts';
import { reconcileSchedule, SCHEDULE_LABEL } from './schedule/reconcile-schedule.ts';

export interface BackupReconcilerOptions extends Pick<BackupTools, 'image' | 'operatorVersion'> {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Prefixes of the keys of backups and schedules in the work queue. Keys of Karmadas have no colon. */
const KIND = 'KarmadaBackup:';
const SCHEDULE = 'KarmadaBackupSchedule:';
/** Pause while the cache of backups is filled, in milliseconds. */
const SYNC_MS = 1_000;
/** Interval at which the operator looks for the CRDs, in milliseconds. */
const DISCOVERY_MS = 60_000;

/** Adds the kinds of backups to the reconciler of Karmadas. */
export function withBackups(karmadas: Reconciler, options: BackupReconcilerOptions): Reconciler {
  const backups = new Informer({ ...options, type: karmadaBackups });
  const pods = new Informer({
    ...{ ...options, type: resources.Pod, labelSelector: BACKUP_LABEL },
  });
  const schedules = new Informer({ ...options, type: karmadaBackupSchedules });
  const informers = [backups, schedules, pods];
  const discovery = new Discovery(options, () => informers.forEach((one) => one.start()));
  return {
    synced: karmadas.synced,
    unready: () => karmadas.unready(),
    rest: () => karmadas.rest(),
    queuePartitionOf: (key) => (key.includes(':') ? '' : karmadas.queuePartitionOf(key)),
    reconcile: async (key, signal) => {
      if (!key.includes(':')) return karmadas.reconcile(key, signal);
      const [kind = '', rest = ''] = key.split(':');
      const [namespace = '', name = ''] = rest.split('/');
      if (`${kind}:` === SCHEDULE) {
        const schedule = schedules.cache.get({ namespace, name });
        if (schedule === undefined) return {};
        if (!backups.hasSynced) return { requeueAfterMs: SYNC_MS };
        const all = backups.cache.list() as KarmadaBackup[];
        const own = all.filter(({ metadata }) => metadata.namespace === namespace);
        return reconcileSchedule(schedule as KarmadaBackupSchedule, own, options);
      }
      const backup = backups.cache.get({ namespace, name }) as KarmadaBackup | undefined;
      return backup === undefined ? {} : reconcileBackup(backup, options);
    },
    start(queue) {
      karmadas.start(queue);
      wire({ backups, schedules, pods }, queue);
      discovery.start();
    },
    async stop() {
      discovery.stop();
      await Promise.all(informers.map((one) => one.stop()));
      await karmadas.stop();
    },
  };
}

function wire(
  { backups, schedules, pods }: Readonly<Record<'backups' | 'schedules' | 'pods', Informer>>,
  queue: WorkQueue,
): void {
  backups.onChange(({ object }) => {
    queue.add(KIND + keyText(keyOf(object)));
    const { namespace = '', labels = {} } = object.metadata;
    const schedule = labels[SCHEDULE_LABEL];
    if (schedule !== undefined) queue.add(`${SCHEDULE}${namespace}/${schedule}`);
  });
  schedules.onChange(({ object }) => queue.add(SCHEDULE + keyText(keyOf(object))));
  pods.onChange(({ object: { metadata } }) => {
    const { namespace = '', labels = {} } = metadata;
    queue.add(`${KIND}${namespace}/${labels[BACKUP_LABEL] ?? ''}`);
  });
}

/** Looks until the API server serves the kinds, which needs no permission. An older installation does not have them. */
class Discovery {
  readonly #options: BackupReconcilerOptions;
  readonly #onServed: () => void;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(options: BackupReconcilerOptions, onServed: () => void) {
    this.#options = options;
    this.#onServed = onServed;
  }

  start(): void {
    const { clock, log } = this.#options;
    this.#look()
      .catch((error: unknown) => {
        log.warn({ error: errorText(error) }, 'discovery of backup kinds failed, will retry');
        return false;
      })
      .then((isServed) => {
        if (this.#isStopped) return;
        if (isServed) this.#onServed();
        else this.#cancel = clock.after(DISCOVERY_MS, () => this.start());
      })
      .catch((error: unknown) => log.error({ error: errorText(error) }, 'backup kinds failed'));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #look(): Promise<boolean> {
    const { status, body } = await this.#options.client.raw(`/apis/${BACKUP_GROUP}/v1alpha1`);
    const kinds = [karmadaBackups, karmadaBackupSchedules];
    return status === 200 && kinds.every(({ plural }) => body.includes(`"${plural}"`));
  }
}
