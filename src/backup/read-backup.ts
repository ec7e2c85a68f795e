/** Reads a backup from its store and verifies every byte. */
import { decrypted } from './format/chunks.ts';
import type { BackupKey } from './format/key.ts';
import { decodeManifest, MANIFEST, type BackupFile, type Manifest } from './format/manifest.ts';
import { measured } from './measure.ts';
import { readSmall, type ObjectStore } from './stores/object-store.ts';
import { objectName } from './take-backup.ts';

export interface ReadTools {
  readonly store: Pick<ObjectStore, 'read'>;
  /** Absent for a store without encryption. */
  readonly key?: BackupKey;
  readonly signal: AbortSignal;
}

/** A backup that is not what its manifest says. */
export class DamagedBackupError extends Error {
  override readonly name = 'DamagedBackupError';
}

/** Reads the manifest. @throws StoreError if there is none; ManifestError */
export async function readManifest(
  folder: string,
  { store, key, signal }: ReadTools,
): Promise<Manifest> {
  return decodeManifest(await readSmall(store, `${folder}/${MANIFEST}`, signal), key);
}

/**
 * Yields the content of a file. It is verified only when the stream ends without an error.
 * @throws StoreError, DamagedFileError, DamagedBackupError
 */
export async function* readBackupFile(
  folder: string,
  file: BackupFile,
  { store, key, signal }: ReadTools,
): AsyncGenerator<Buffer> {
  const object = `${folder}/${objectName(file.name, key !== undefined)}`;
  const stored = measured(store.read(object, signal));
  const content =
    key === undefined ? stored.content : decrypted(stored.content, { key, file: file.name });
  const plain = measured(content);
  yield* plain.content;
  const [outer, inner] = [stored.result(), plain.result()];
  const isSame =
    outer.bytes === file.storedBytes &&
    outer.sha256 === file.storedSha256 &&
    inner.bytes === file.sizeBytes &&
    inner.sha256 === file.sha256;
  if (!isSame) throw new DamagedBackupError(`${file.name}: not the file of the manifest`);
}
