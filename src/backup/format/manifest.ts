/**
 * The manifest of a backup: pure. It is written last, so a backup without a manifest is incomplete. Its first line is
 * JSON, its second line authenticates the first one (docs/reference/backup-format.md).
 */
import { createHash } from 'node:crypto';
import { deriveKey, isSameDigest, macOf, type BackupKey } from './key.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

export const FORMAT = 'karmada-backup/v1';
/** Name of the manifest in the folder of a backup. */
export const MANIFEST = 'manifest.jsonl';
const MAC_PURPOSE = 'manifest';

/** An object in the store. */
export interface BackupFile {
  /** Such as `etcd.snapshot`. The object has the suffix `.enc` if it is encrypted. */
  readonly name: string;
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

/** A manifest that is missing, damaged, of another key or of another format. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/** Encodes a manifest. @param key undefined exactly if the manifest says encryption None */
export function encodeManifest(manifest: Manifest, key: BackupKey | undefined): Buffer {
  const line = `${JSON.stringify(manifest)}\n`;
  return Buffer.from(`${line}${JSON.stringify(sealOf(line, manifest, key))}\n`, 'utf8');
}

/**
 * Decodes and authenticates a manifest.
 * @param key undefined for a store without encryption
 * @throws ManifestError
 */
export function decodeManifest(content: Buffer, key: BackupKey | undefined): Manifest {
  const [line = '', seal = '', ...rest] = content.toString('utf8').split('\n');
  const manifest = parsed(line) as Partial<Manifest> | undefined;
  const isComplete = rest.length === 1 && rest[0] === '' && manifest !== undefined;
  if (!isComplete) throw new ManifestError('the manifest is incomplete');
  if (manifest.format !== FORMAT) throw new ManifestError('the manifest has an unknown format');
  const found = parsed(seal) as Partial<Seal> | undefined;
  const wanted = sealOf(`${line}\n`, manifest as Manifest, key);
  const kinds = ['hmacSha256', 'sha256'] as const;
  const isAuthentic = kinds.every((kind) =>
    isSameDigest(String(found?.[kind] ?? ''), wanted[kind] ?? ''),
  );
  if (!isAuthentic)
    throw new ManifestError('the manifest was changed, or the key is not that of the backup');
  return manifest as Manifest;
}

/** Names the key that a manifest needs, without authentication. @throws ManifestError */
export function keyIDOf(content: Buffer): string | undefined {
  const [line = ''] = content.toString('utf8').split('\n');
  const { encryption } = (parsed(line) ?? {}) as Partial<Manifest>;
  if (encryption === 'None') return undefined;
  if (typeof encryption?.keyID !== 'string') throw new ManifestError('the manifest is incomplete');
  return encryption.keyID;
}

interface Seal {
  readonly hmacSha256?: string;
  readonly sha256?: string;
}

function sealOf(line: string, { encryption }: Manifest, key: BackupKey | undefined): Seal {
  const content = Buffer.from(line, 'utf8');
  if ((encryption === 'None') !== (key === undefined))
    throw new ManifestError(
      encryption === 'None'
        ? 'the manifest is not encrypted, but the store requires encryption'
        : 'the manifest is encrypted, but the store has no key',
    );
  if (key === undefined || encryption === 'None')
    return { sha256: createHash('sha256').update(content).digest('hex') };
  if (typeof encryption?.salt !== 'string') throw new ManifestError('the manifest is incomplete');
  const salt = Buffer.from(encryption.salt, 'hex');
  return { hmacSha256: macOf(deriveKey(key, salt, MAC_PURPOSE), content) };
}

function parsed(line: string): unknown {
  try {
    const value: unknown = parseJsonWithin(line, { size: UNTRUSTED.manifest });
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
