/** Downloads a backup and verifies every byte. No byte of the store chooses a key, or a file that is opened. */
import { pipeline } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import {
  FILES,
  type BackupFile,
  type BackupFileName,
  type Manifest,
} from '../format/manifest-type.ts';
import {
  DamagedBackupError,
  readBackupFile,
  readManifest,
  type FoundManifest,
  type ReadTools,
} from '../read-backup.ts';
import type { ObjectStore } from '../stores/object-store.ts';
import { sizeText, UNTRUSTED } from '../../untrusted/limits.ts';
import type { JobConfig } from './config.ts';
import { checkSameName } from './objects.ts';
import { openKey, type ReadText } from './open-store.ts';
import type { JobPath } from './paths.ts';

/** Creates a file that does not exist. @param mode such as 0o600 */
export type CreateFile = (path: JobPath, mode: number) => Writable;

export interface DownloadTools {
  readonly store: Pick<ObjectStore, 'read'>;
  readonly read: ReadText;
  readonly create: CreateFile;
  readonly signal: AbortSignal;
}

export interface Downloaded extends FoundManifest {
  /** Content of `objects.json`. */
  readonly objects: Buffer;
}

/**
 * Downloads a backup, and writes the snapshot for `etcdutl`.
 * @throws StoreError, ManifestError, DamagedBackupError, DamagedFileError, BackupKeyError
 */
export async function downloadBackup(
  config: JobConfig,
  tools: DownloadTools,
  { path, mode }: { readonly path: JobPath; readonly mode: number },
): Promise<Downloaded> {
  const access = await backupAccess(config, tools);
  const found = await readManifest(config.folder, access);
  const { manifest } = found;
  checkSameName(manifest.karmada, config.karmada);
  if (!config.isExisting && manifest.backup.uid !== config.backup.uid)
    throw new DamagedBackupError('the manifest is that of another backup');
  const snapshot = readBackupFile(config.folder, fileOf(manifest, FILES.etcd), access);
  await pipeline(snapshot, tools.create(path, mode));
  const objects = fileOf(manifest, FILES.objects);
  if (objects.sizeBytes > UNTRUSTED.backedUpObjects)
    throw new DamagedBackupError(
      `${objects.name} has more than ${sizeText(UNTRUSTED.backedUpObjects)}`,
    );
  const pieces: Buffer[] = [];
  for await (const piece of readBackupFile(config.folder, objects, access)) pieces.push(piece);
  return { ...found, objects: Buffer.concat(pieces) };
}

/** How a backup is read: with the key and the manifest that the configuration names. @throws BackupKeyError, Error */
export async function backupAccess(
  config: Pick<JobConfig, 'encryption' | 'manifestSHA256'>,
  { store, read, signal }: Pick<DownloadTools, 'store' | 'read' | 'signal'>,
): Promise<ReadTools> {
  const key = await openKey(config, read);
  const { manifestSHA256 } = config;
  return {
    store,
    signal,
    ...(key !== undefined && { key }),
    ...(manifestSHA256 !== undefined && { manifestSHA256 }),
  };
}

function fileOf({ files }: Manifest, name: BackupFileName): BackupFile {
  const file = files.find((one) => one.name === name);
  if (file === undefined) throw new DamagedBackupError(`the manifest names no ${name}`);
  return file;
}
