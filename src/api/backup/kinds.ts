/** Kinds of backups, as users write them. Their types are generated from the schemas of the CRDs. */
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { namespacedType, type ResourceType } from '../../kubernetes/objects/resources.ts';
import type {
  KarmadaBackupScheduleSpec,
  KarmadaBackupScheduleStatus,
  KarmadaBackupSpec,
  KarmadaBackupStatus,
  KarmadaBackupStoreSpec,
  KarmadaBackupStoreStatus,
  KarmadaRestoreSpec,
  KarmadaRestoreStatus,
} from './kinds.generated.ts';

export type {
  BackupPhase,
  KarmadaBackupScheduleStatus,
  KarmadaBackupStatus,
  KarmadaBackupStoreStatus,
  KarmadaRestoreStatus,
  RestoreMemberCluster,
  RestoreMemberClusters,
  RestorePhase,
} from './kinds.generated.ts';

export const BACKUP_GROUP = 'backup.operator.karmada.io';
const BACKUP_API_VERSION = `${BACKUP_GROUP}/v1alpha1`;

export const BACKUP_PLURAL = {
  backup: 'karmadabackups',
  store: 'karmadabackupstores',
  schedule: 'karmadabackupschedules',
  restore: 'karmadarestores',
} as const;

/** Resource types. The CRDs need not be installed. */
export const karmadaBackups: ResourceType<KarmadaBackup> = namespacedType(
  BACKUP_API_VERSION,
  'KarmadaBackup',
  BACKUP_PLURAL.backup,
);
export const karmadaBackupStores: ResourceType<KarmadaBackupStore> = namespacedType(
  BACKUP_API_VERSION,
  'KarmadaBackupStore',
  BACKUP_PLURAL.store,
);

export const karmadaBackupSchedules: ResourceType<KarmadaBackupSchedule> = namespacedType(
  BACKUP_API_VERSION,
  'KarmadaBackupSchedule',
  BACKUP_PLURAL.schedule,
);

export const karmadaRestores: ResourceType<KarmadaRestore> = namespacedType(
  BACKUP_API_VERSION,
  'KarmadaRestore',
  BACKUP_PLURAL.restore,
);

/** Label of a KarmadaBackup that was taken before an upgrade: the versions after the upgrade. */
export const UPGRADE_LABEL = `${BACKUP_GROUP}/upgrade`;

/** Label of the Pods of a KarmadaBackup: name of its Karmada, whose NetworkPolicies select them. */
export const BACKUP_KARMADA = `${BACKUP_GROUP}/karmada`;

export interface KarmadaBackupStore extends KubernetesObject {
  readonly spec: KarmadaBackupStoreSpec;
  readonly status?: KarmadaBackupStoreStatus;
}

export interface KarmadaBackup extends KubernetesObject {
  readonly spec: KarmadaBackupSpec;
  readonly status?: KarmadaBackupStatus;
}

export interface KarmadaBackupSchedule extends KubernetesObject {
  readonly spec: KarmadaBackupScheduleSpec;
  readonly status?: KarmadaBackupScheduleStatus;
}

export interface KarmadaRestore extends KubernetesObject {
  readonly spec: KarmadaRestoreSpec;
  readonly status?: KarmadaRestoreStatus;
}

/** Name of the Secret with the configuration of the Pod of a restore. @param name of the KarmadaRestore */
export const restoreConfigName = (name: string): string => `${name}-restore`;

/** Time of the creation, RFC 3339 in UTC, so that texts can be compared. */
export const createdAt = ({ metadata }: KarmadaBackup): string => metadata.creationTimestamp ?? '';
