/** Kinds of backups, as users write them. Names and meanings of the fields are in scripts/crd/backups.ts. */
import type { KubernetesObject, ObjectCondition } from '../../kubernetes/object.ts';
import { namespacedType, type ResourceType } from '../../kubernetes/resources.ts';

export const BACKUP_GROUP = 'backup.operator.karmada.io';
const BACKUP_API_VERSION = `${BACKUP_GROUP}/v1alpha1`;

export const BACKUP_PLURAL = {
  backup: 'karmadabackups',
  store: 'karmadabackupstores',
  schedule: 'karmadabackupschedules',
  restore: 'karmadarestores',
} as const;

/** Resource types. The CRDs need not be installed. */
export const karmadaBackups: ResourceType = namespacedType(
  ...([BACKUP_API_VERSION, 'KarmadaBackup', BACKUP_PLURAL.backup] as const),
);
export const karmadaBackupStores: ResourceType = namespacedType(
  ...([BACKUP_API_VERSION, 'KarmadaBackupStore', BACKUP_PLURAL.store] as const),
);

export const karmadaBackupSchedules: ResourceType = namespacedType(
  ...([BACKUP_API_VERSION, 'KarmadaBackupSchedule', BACKUP_PLURAL.schedule] as const),
);

export const karmadaRestores: ResourceType = namespacedType(
  ...([BACKUP_API_VERSION, 'KarmadaRestore', BACKUP_PLURAL.restore] as const),
);

/** Label of a KarmadaBackup that was taken before an upgrade: the versions after the upgrade. */
export const UPGRADE_LABEL = `${BACKUP_GROUP}/upgrade`;

interface NameReference {
  readonly name: string;
}

interface S3Location {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix?: string;
  readonly pathStyle?: boolean;
  /** Either this or `podIdentity`. */
  readonly credentialsSecretRef?: NameReference;
  /** ServiceAccount whose token the token service of the server exchanges for credentials. */
  readonly podIdentity?: { readonly serviceAccountName: string; readonly roleARN?: string };
  readonly caSecretRef?: NameReference;
  /** Server-side encryption of each object; that of the bucket if absent. */
  readonly sse?: { readonly type: 'AES256' | 'aws:kms'; readonly kmsKeyID?: string };
  /** Retention of each object; that of the bucket if absent. */
  readonly objectLock?: { readonly mode: 'GOVERNANCE' | 'COMPLIANCE'; readonly days: number };
}

export interface KarmadaBackupStoreStatus {
  /** Time of the last probe, RFC 3339. */
  readonly probedAt?: string;
  /** Hash of the generation and of the versions of the Secrets at the last probe. */
  readonly probedHash?: string;
  readonly conditions?: readonly ObjectCondition[];
}

export interface KarmadaBackupStore extends KubernetesObject {
  readonly spec: {
    /** How often a bucket is probed. Daily if absent. */
    readonly probe?: 'Daily' | 'Never';
    readonly s3?: S3Location;
    readonly volume?: { readonly claimName: string; readonly prefix?: string };
    readonly encryption: {
      readonly mode: 'AES256GCM' | 'None';
      readonly keySecretRef?: NameReference;
      readonly keyID?: string;
    };
  };
  readonly status?: KarmadaBackupStoreStatus;
}

export type BackupPhase = 'Pending' | 'Running' | 'Verifying' | 'Verified' | 'Failed' | 'Deleting';

export interface KarmadaBackupStatus {
  readonly phase?: BackupPhase;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly verifiedAt?: string;
  /** Time of the snapshot. */
  readonly takenAt?: string;
  /** Key prefix of the backup in the store. */
  readonly folder?: string;
  /** Decimal. */
  readonly revision?: string;
  readonly keys?: string;
  readonly etcdVersion?: string;
  readonly clusterID?: string;
  readonly hash?: string;
  readonly sizeBytes?: number;
  readonly storedBytes?: number;
  /** Until then the store deletes no file of the backup. RFC 3339. */
  readonly lockedUntil?: string;
  /** SHA-256 of the manifest in hexadecimal. A restore accepts no other one. */
  readonly manifestSHA256?: string;
  /** Name of the key in the Secret of the store; absent for a backup that is not encrypted. */
  readonly keyID?: string;
  /** SHA-256 fingerprint of the CA of the control plane in hexadecimal. */
  readonly caSHA256?: string;
  readonly conditions?: readonly ObjectCondition[];
}

export interface KarmadaBackup extends KubernetesObject {
  readonly spec: {
    readonly karmadaRef: NameReference;
    readonly storeRef: NameReference;
    /** What happens to the files when the KarmadaBackup is deleted. Retain if absent. */
    readonly deletionPolicy?: 'Retain' | 'Delete';
    /** Folder of an existing backup, which is only verified. */
    readonly folder?: string;
    /** Key of the existing backup in the Secret of the store; that of the store if absent. */
    readonly keyID?: string;
    readonly activeDeadlineSeconds?: number;
  };
  readonly status?: KarmadaBackupStatus;
}

export interface KarmadaBackupScheduleStatus {
  /** Time of the cron expression for which a backup was created last. Times are RFC 3339. */
  readonly lastScheduleTime?: string;
  /** Name of this KarmadaBackup. */
  readonly lastBackup?: string;
  readonly nextScheduleTime?: string;
  /** Time at which a backup of this schedule was verified last. */
  readonly lastSuccessfulTime?: string;
  readonly conditions?: readonly ObjectCondition[];
}

export interface KarmadaBackupSchedule extends KubernetesObject {
  readonly spec: {
    /** Cron expression with five fields. */
    readonly schedule: string;
    /** IANA name; UTC if absent. */
    readonly timeZone?: string;
    readonly suspend?: boolean;
    readonly startingDeadlineSeconds?: number;
    /** Absent if no backup is deleted. */
    readonly retention?: { readonly keepLast: number };
    readonly template: KarmadaBackup['spec'];
  };
  readonly status?: KarmadaBackupScheduleStatus;
}

export type RestorePhase =
  'Pending' | 'AwaitingConfirmation' | 'Restoring' | 'PropagationPaused' | 'Complete' | 'Withdrawn';

/** What Karmada changes in a member cluster when the propagation continues: numbers of objects, or why they are unknown. */
export interface RestoreMemberCluster {
  readonly name: string;
  readonly syncMode?: 'Push' | 'Pull';
  readonly create?: number;
  readonly change?: number;
  readonly delete?: number;
  readonly orphaned?: number;
  readonly blocked?: number;
  readonly equal?: number;
  readonly problem?: string;
}

export interface RestoreMemberClusters {
  readonly total: number;
  /** At most 20, sorted by name. */
  readonly clusters: readonly RestoreMemberCluster[];
}

export interface KarmadaRestoreStatus {
  readonly phase?: RestorePhase;
  /** ID of the etcd cluster that is given up. It stays from the start on. */
  readonly clusterID?: string;
  /** Value that `spec.caConfirmation` must have before the start; absent if none is needed. */
  readonly caConfirmation?: string;
  /** Revision of the backup, decimal. */
  readonly revision?: string;
  /** Time of the backup. Times are RFC 3339. */
  readonly backupTime?: string;
  /** Set when the restore was confirmed. */
  readonly startedAt?: string;
  readonly finishedAt?: string;
  /** Compared while the propagation is paused. */
  readonly memberClusters?: RestoreMemberClusters;
  readonly conditions?: readonly ObjectCondition[];
}

export interface KarmadaRestore extends KubernetesObject {
  readonly spec: {
    readonly karmadaRef: NameReference;
    readonly backupRef: NameReference;
    /** ID of the etcd cluster that is given up. */
    readonly confirmation?: string;
    /** Fingerprints of the CA of the backup and of that of the control plane, if they differ. */
    readonly caConfirmation?: string;
    /** Key of a backup whose status does not record it; that of the store if absent. */
    readonly keyID?: string;
    readonly propagation?: 'Paused' | 'Resumed';
  };
  readonly status?: KarmadaRestoreStatus;
}

/** Name of the Secret with the configuration of the Pod of a restore. @param name of the KarmadaRestore */
export const restoreConfigName = (name: string): string => `${name}-restore`;
