/** Maps changes of the kinds of backups to keys in the work queue. */
import {
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
  karmadaRestores,
  UPGRADE_LABEL,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
  type KarmadaBackupStore,
  type KarmadaRestore,
} from '../../api/backup/kinds.ts';
import { BACKUP_LABEL } from '../../features/backups/job-pod.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { InformerGroup } from '../../kubernetes/informers/informer-group.ts';
import { MergedChanges } from '../../kubernetes/workqueue/merged-changes.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { WorkQueue } from '../../kubernetes/workqueue/queue.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { keyOf, keyText } from '../../kubernetes/objects/resources.ts';
import type { IndexFunction } from '../../kubernetes/informers/store.ts';
import { SCHEDULE_LABEL } from './schedule/reconcile-schedule.ts';

/** Kinds in the keys of the work queue, as `KIND:namespace/name`. Keys of Karmadas have no colon. */
export const BACKUP = karmadaBackups.kind;
export const SCHEDULE = karmadaBackupSchedules.kind;
export const RESTORE = karmadaRestores.kind;
export const STORE = karmadaBackupStores.kind;

export interface Caches {
  readonly backups: InformerGroup<KarmadaBackup>;
  readonly schedules: InformerGroup<KarmadaBackupSchedule>;
  readonly restores: InformerGroup<KarmadaRestore>;
  readonly stores: InformerGroup<KarmadaBackupStore>;
  readonly pods: InformerGroup<Pod>;
}

const BY_BACKUP = 'backup';

/** Cache index of KarmadaRestores by the KarmadaBackup that they name. */
export const restoresByBackup: Readonly<Record<string, IndexFunction>> = {
  [BY_BACKUP]: ({ metadata: { namespace = '' }, spec }) => {
    const { name } = fieldsOf(fieldsOf(spec)['backupRef']);
    return typeof name === 'string' ? [keyText({ namespace, name })] : [];
  },
};

/** Adds the objects that a change concerns to the work queue. */
export function wireBackups(
  { backups, schedules, restores, stores, pods }: Caches,
  queue: Pick<WorkQueue, 'add'>,
  clock: Pick<Clock, 'after'>,
): void {
  const add = (kind: string, of: KubernetesObject): void =>
    void queue.add(`${kind}:${keyText(keyOf(of))}`);
  // Thousands of restores may name one backup, and its owner may change it again and again.
  const act = (backup: string): void => {
    for (const restore of restores.cache.byIndex(BY_BACKUP, backup)) add(RESTORE, restore);
  };
  const used = new MergedChanges({ clock, maxPerSecond: 1, act });
  backups.onChange(({ object }) => {
    add(BACKUP, object);
    const { namespace = '', labels = {} } = object.metadata;
    const schedule = labels[SCHEDULE_LABEL];
    if (schedule !== undefined) queue.add(`${SCHEDULE}:${namespace}/${schedule}`);
    // An upgrade of the Karmada waits for this backup.
    if (labels[UPGRADE_LABEL] !== undefined)
      queue.add(`${namespace}/${object.spec.karmadaRef.name}`);
    used.add(keyText(keyOf(object)));
  });
  schedules.onChange(({ object }) => add(SCHEDULE, object));
  restores.onChange(({ object }) => add(RESTORE, object));
  stores.onChange(({ object }) => add(STORE, object));
  pods.onChange(({ object: { metadata } }) => {
    const { namespace = '', labels = {} } = metadata;
    queue.add(`${BACKUP}:${namespace}/${labels[BACKUP_LABEL] ?? ''}`);
  });
}
