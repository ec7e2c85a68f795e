/** Reads a backup from its store and verifies every byte. */
import { decrypted } from './format/chunks.ts';
import type { BackupKey } from './format/key.ts';
import { decodeManifest, manifestDigest } from './format/manifest.ts';
import { MANIFEST, objectName, type BackupFile, type Manifest } from './format/manifest-type.ts';
import { isSameDigest } from './format/key.ts';
import { measured } from './measure.ts';
import { readSmall, type ObjectStore } from './stores/object-store.ts';
import { UNTRUSTED } from '../untrusted/limits.ts';

export interface ReadTools {
  readonly store: Pick<ObjectStore, 'read'>;
  /** Absent for a store without encryption. */
  readonly key?: BackupKey;
  readonly signal: AbortSignal;
  /** SHA-256 of the manifest as recorded when the backup was taken; absent if that is not known. */
  readonly manifestSHA256?: string;
}

/** A backup that is not what its manifest says. */
export class DamagedBackupError extends Error {
  override readonly name = 'DamagedBackupError';
}

/** A manifest, and SHA-256 of its bytes in hexadecimal. */
export interface FoundManifest {
  readonly manifest: Manifest;
  readonly manifestSHA256: string;
}

/** Reads the manifest. @throws StoreError if there is none; ManifestError; DamagedBackupError if it is not the recorded one */
export async function readManifest(
  folder: string,
  { store, key, signal, manifestSHA256: recorded }: ReadTools,
): Promise<FoundManifest> {
  const content = await readSmall(store, `${folder}/${MANIFEST}`, signal, UNTRUSTED.manifest);
  const manifestSHA256 = manifestDigest(content);
  if (recorded !== undefined && !isSameDigest(recorded, manifestSHA256))
    throw new DamagedBackupError(
      `the manifest is not the one of this backup: its SHA-256 sum is ${manifestSHA256}, and status.manifestSHA256 of the KarmadaBackup is ${recorded}`,
    );
  return { manifest: decodeManifest(content, key), manifestSHA256 };
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
  const stored = measured(bounded(store.read(object, signal), file));
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

/** The store may send more than the file has, and has unlimited time to do so. */
async function* bounded(
  stream: AsyncIterable<Buffer>,
  { name, storedBytes }: BackupFile,
): AsyncGenerator<Buffer> {
  let left = storedBytes;
  for await (const piece of stream) {
    left -= piece.length;
    if (left < 0) throw new DamagedBackupError(`${name}: longer than the manifest says`);
    yield piece;
  }
}
