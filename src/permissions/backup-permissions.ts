/** Permissions for the kinds of backups. */
import { BACKUP_GROUP, BACKUP_PLURAL } from '../api/backup/kinds.ts';
import { need, type NeededPermission, type RoleName } from './need.ts';

const BACKUPS: readonly RoleName[] = ['backups'];

export const BACKUP_PERMISSIONS: readonly NeededPermission[] = [
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.backup], {
    verbs: ['list', 'watch'],
    module: 'controllers/backups/backup-reconciler.ts',
    reason: 'watches backups, if their CRDs are installed',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.store], {
    verbs: ['get'],
    module: 'controllers/backups/backup/reconcile-backup.ts',
    reason: 'reads the store of a backup',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.store], {
    verbs: ['list'],
    module: 'features/upgrade-backup/observe-upgrade-backup.ts',
    reason: 'finds the store of the backup before an upgrade',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.store], {
    verbs: ['watch'],
    module: 'controllers/backups/backup-reconciler.ts',
    reason: 'watches stores of backups, if their CRD is installed',
  }),
  need(BACKUPS, [BACKUP_GROUP, `${BACKUP_PLURAL.store}/status`], {
    verbs: ['patch'],
    module: 'controllers/backups/store/reconcile-store.ts',
    reason: 'writes the result of a probe',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.schedule], {
    verbs: ['list', 'watch'],
    module: 'controllers/backups/backup-reconciler.ts',
    reason: 'watches schedules of backups, if their CRDs are installed',
  }),
  need(BACKUPS, [BACKUP_GROUP, `${BACKUP_PLURAL.schedule}/status`], {
    verbs: ['patch'],
    module: 'controllers/backups/schedule/reconcile-schedule.ts',
    reason: 'writes the state of a schedule',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.backup], {
    verbs: ['create'],
    module: 'controllers/backups/schedule/reconcile-schedule.ts',
    reason: 'creates the backups of a schedule',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.backup], {
    verbs: ['delete'],
    module: 'controllers/backups/schedule/reconcile-schedule.ts',
    reason: 'deletes backups that a schedule does not keep',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.backup], {
    verbs: ['patch'],
    module: 'controllers/backups/backup/delete-backup.ts',
    reason: 'sets the finalizer of a backup whose files are deleted with it',
  }),
  need(BACKUPS, [BACKUP_GROUP, `${BACKUP_PLURAL.backup}/status`], {
    verbs: ['patch'],
    module: 'controllers/backups/backup/reconcile-backup.ts',
    reason: 'writes the result of a backup',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.backup], {
    verbs: ['get'],
    module: 'controllers/backups/restore/reconcile-restore.ts',
    reason: 'reads the backup of a restore',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.restore], {
    verbs: ['list', 'watch'],
    module: 'controllers/backups/backup-reconciler.ts',
    reason: 'watches restores, if their CRD is installed',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.restore], {
    verbs: ['get'],
    module: 'features/etcd-recovery/backup-source.ts',
    reason: 'reads the restore that a Karmada names',
  }),
  need(BACKUPS, [BACKUP_GROUP, BACKUP_PLURAL.restore], {
    verbs: ['patch'],
    module: 'controllers/backups/restore/reconcile-restore.ts',
    reason: 'sets the finalizer of a started restore',
  }),
  need(BACKUPS, [BACKUP_GROUP, `${BACKUP_PLURAL.restore}/status`], {
    verbs: ['patch'],
    module: 'controllers/backups/restore/reconcile-restore.ts',
    reason: 'writes the progress of a restore',
  }),
].flat();
