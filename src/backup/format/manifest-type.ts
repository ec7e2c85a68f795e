/** Content of the manifest of a backup (docs/reference/backup-format.md). */

export const FORMAT = 'karmada-backup/v1';
/** Name of the manifest in the folder of a backup. */
export const MANIFEST = 'manifest.jsonl';
/** Names of the files of a backup. */
export const FILES = { etcd: 'etcd.snapshot', objects: 'objects.json' } as const;
export const BACKUP_FILES = Object.values(FILES);
export type BackupFileName = (typeof BACKUP_FILES)[number];

/** Name of the object of a file, in the folder of the backup. */
export const objectName = (file: BackupFileName, isEncrypted: boolean): string =>
  isEncrypted ? `${file}.enc` : file;

/** Names of all objects of a backup, encrypted or not; the manifest first. */
export const OBJECT_NAMES: readonly string[] = [
  MANIFEST,
  ...BACKUP_FILES.flatMap((file) => [objectName(file, true), objectName(file, false)]),
];

/** An object in the store. */
export interface BackupFile {
  /** The object has the suffix `.enc` if it is encrypted. */
  readonly name: BackupFileName;
  readonly sizeBytes: number;
  /** SHA-256 of the content in hexadecimal. */
  readonly sha256: string;
  /** The same of the object in the store. */
  readonly storedBytes: number;
  readonly storedSha256: string;
}

/** State of etcd. Numbers of 64 bits are decimal text. */
export interface BackedUpEtcd {
  readonly version: string;
  /** IDs are hexadecimal. */
  readonly clusterID: string;
  readonly memberID: string;
  /** Revision at which hash and keys were read. The snapshot has it, and possibly later ones. */
  readonly revision: string;
  /**
   * Hash of all keys up to the revision (HashKV), comparable for one compact revision only. There are two if etcd was
   * compacted during the snapshot, which then has one of them.
   */
  readonly hashes: readonly { readonly hash: string; readonly compactRevision: string }[];
  /** Number of keys at the revision. */
  readonly keys: string;
}

interface ObjectIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Manifest {
  readonly format: typeof FORMAT;
  readonly backup: ObjectIdentity;
  readonly karmada: ObjectIdentity;
  /** RFC 3339, when the snapshot began. */
  readonly createdAt: string;
  readonly operatorVersion: string;
  /** `salt` is that of the key that authenticates the manifest, in hexadecimal. */
  readonly encryption: { readonly keyID: string; readonly salt: string } | 'None';
  readonly etcd: BackedUpEtcd;
  readonly files: readonly BackupFile[];
}
