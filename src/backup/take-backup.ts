/** Takes a backup: a stream from etcd to the store, without a copy on a disk. The manifest is written last. */
import type { EtcdHash } from '../etcd/messages.ts';
import type { EtcdReader } from '../etcd/client.ts';
import { EtcdStatusError, GRPC } from '../etcd/errors.ts';
import type { Clock } from '../kubernetes/time/clock.ts';
import { encrypted } from './format/chunks.ts';
import { KEY_BYTES, type BackupKey } from './format/key.ts';
import { encodeManifest, manifestDigest } from './format/manifest.ts';
import {
  FILES,
  FORMAT,
  MANIFEST,
  objectName,
  type BackedUpEtcd,
  type BackupFile,
  type BackupFileName,
  type Manifest,
} from './format/manifest-type.ts';
import { measured } from './measure.ts';
import { once, type ObjectStore } from './stores/object-store.ts';

export interface BackupRequest extends Pick<Manifest, 'backup' | 'karmada' | 'operatorVersion'> {
  /** Key prefix of this backup in the store, without `/` at its end. No other backup has it. */
  readonly folder: string;
}

export interface BackupTools {
  readonly etcd: Pick<
    EtcdReader,
    'status' | 'readWithQuorum' | 'hashKV' | 'countKeys' | 'snapshot'
  >;
  /** Content of `objects.json`: the Karmada and its Secrets. */
  readonly readObjects: () => Promise<Buffer>;
  readonly store: ObjectStore;
  /** Absent for a backup that is not encrypted. */
  readonly key?: BackupKey;
  /** Returns this many random bytes. */
  readonly randomBytes: (count: number) => Buffer;
  readonly clock: Pick<Clock, 'wall'>;
  readonly signal: AbortSignal;
}

/** A backup that is not consistent. Another attempt may succeed. */
class InconsistentBackupError extends Error {
  override readonly name = 'InconsistentBackupError';
}

/** A stored backup. */
export interface TakenBackup {
  readonly manifest: Manifest;
  /** SHA-256 of the stored manifest in hexadecimal. It proves later that this process took the backup. */
  readonly manifestSHA256: string;
  /** Content of `objects.json`. */
  readonly objects: Buffer;
}

/**
 * Takes a backup.
 * @returns what was stored
 * @throws StoreError, EtcdConnectionError, EtcdStatusError, InconsistentBackupError; then there is no manifest
 */
export async function takeBackup(request: BackupRequest, tools: BackupTools): Promise<TakenBackup> {
  const createdAt = new Date(tools.clock.wall()).toISOString();
  const objects = await tools.readObjects();
  const { etcd, file } = await backUpEtcd(request, tools);
  // Certificates that change meanwhile would not match each other.
  if (!(await tools.readObjects()).equals(objects))
    throw new InconsistentBackupError('Secrets of the control plane changed during the backup');
  const files = [file, await storeFile(FILES.objects, once(objects), { request, tools })];
  const { key, randomBytes, store, signal } = tools;
  const salt = randomBytes(KEY_BYTES).toString('hex');
  const { backup, karmada, operatorVersion, folder } = request;
  const manifest: Manifest = {
    format: FORMAT,
    backup,
    karmada,
    createdAt,
    operatorVersion,
    encryption: key === undefined ? 'None' : { keyID: key.keyID, salt },
    etcd,
    files,
  };
  const content = encodeManifest(manifest, key);
  await store.upload(`${folder}/${MANIFEST}`, once(content), signal);
  return { manifest, manifestSHA256: manifestDigest(content), objects };
}

interface Scope {
  readonly request: BackupRequest;
  readonly tools: BackupTools;
}

async function backUpEtcd(
  request: BackupRequest,
  tools: BackupTools,
): Promise<{ etcd: BackedUpEtcd; file: BackupFile }> {
  const { etcd } = tools;
  // Without a quorum the data of this member may be old.
  await etcd.readWithQuorum();
  const { revision, version, clusterId, memberId } = await etcd.status();
  const [before, keys] = await Promise.all([etcd.hashKV(revision), etcd.countKeys(revision)]);
  const file = await storeFile(FILES.etcd, etcd.snapshot(), { request, tools });
  const after = await hashUnlessCompacted(etcd, revision);
  const hashes = [before, ...(after === undefined ? [] : [after])];
  return {
    file,
    etcd: {
      version,
      clusterID: clusterId,
      memberID: memberId,
      revision,
      keys,
      hashes: hashes
        .filter((hash, index) => index === 0 || hash.compactRevision !== before.compactRevision)
        .map(({ hash, compactRevision }) => ({ hash, compactRevision })),
    },
  };
}

/** A compaction during the snapshot changes the hash. @returns undefined if the revision is compacted itself */
async function hashUnlessCompacted(
  etcd: BackupTools['etcd'],
  revision: string,
): Promise<EtcdHash | undefined> {
  try {
    return await etcd.hashKV(revision);
  } catch (error) {
    if (error instanceof EtcdStatusError && error.status === GRPC.outOfRange) return undefined;
    throw error;
  }
}

async function storeFile(
  name: BackupFileName,
  content: AsyncIterable<Uint8Array>,
  { request: { folder }, tools: { key, randomBytes, store, signal } }: Scope,
): Promise<BackupFile> {
  const plain = measured(content);
  const sealed =
    key === undefined
      ? plain.content
      : encrypted(plain.content, { key, file: name }, randomBytes(KEY_BYTES));
  const stored = measured(sealed);
  const object = objectName(name, key !== undefined);
  await store.upload(`${folder}/${object}`, stored.content, signal);
  const [inner, outer] = [plain.result(), stored.result()];
  return {
    name,
    sizeBytes: inner.bytes,
    sha256: inner.sha256,
    storedBytes: outer.bytes,
    storedSha256: outer.sha256,
  };
}
