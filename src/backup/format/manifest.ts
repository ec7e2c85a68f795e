/**
 * The manifest of a backup: pure. It is written last, so a backup without a manifest is incomplete. Its first line is
 * JSON, its second line authenticates the first one (docs/reference/backup-format.md).
 */
import { createHash } from 'node:crypto';
import {
  checkedKeyID,
  deriveKey,
  isSameDigest,
  KEY_BYTES,
  macOf,
  type BackupKey,
  type KeyID,
} from './key.ts';
import { isManifest } from './manifest-shape.ts';
import { FORMAT, type Manifest } from './manifest-type.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

const MAC_PURPOSE = 'manifest';

/** A manifest that is missing, damaged, of another key or of another format. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/** Encodes a manifest. @param key undefined exactly if the manifest says encryption None */
export function encodeManifest(manifest: Manifest, key: BackupKey | undefined): Buffer {
  const line = `${JSON.stringify(manifest)}\n`;
  return Buffer.from(`${line}${JSON.stringify(sealOf(line, manifest.encryption, key))}\n`, 'utf8');
}

/** SHA-256 of a whole manifest in hexadecimal, as `status.manifestSHA256` of the KarmadaBackup records it. */
export const manifestDigest = (content: Buffer): string =>
  createHash('sha256').update(content).digest('hex');

/**
 * Decodes and authenticates a manifest.
 * @param key undefined for a store without encryption
 * @throws ManifestError
 */
export function decodeManifest(content: Buffer, key: BackupKey | undefined): Manifest {
  const [line = '', seal = '', ...rest] = content.toString('utf8').split('\n');
  const manifest = parsed(line);
  const isComplete = rest.length === 1 && rest[0] === '' && manifest !== undefined;
  if (!isComplete) throw new ManifestError('the manifest is incomplete');
  const { format, encryption } = manifest;
  if (format !== FORMAT) throw new ManifestError('the manifest has an unknown format');
  const found = parsed(seal);
  const wanted = sealOf(`${line}\n`, encryption, key);
  const kinds = ['hmacSha256', 'sha256'] as const;
  const isAuthentic = kinds.every((kind) =>
    isSameDigest(String(found?.[kind] ?? ''), wanted[kind] ?? ''),
  );
  if (!isAuthentic)
    throw new ManifestError(
      `the manifest was changed, or the key is not that of the backup${otherKey(encryption, key)}`,
    );
  if (!isManifest(manifest)) throw new ManifestError('the manifest has an invalid field');
  return manifest;
}

/** The manifest is not authentic, so its key is only named: a user decides whether to use it. */
function otherKey(encryption: unknown, key: BackupKey | undefined): string {
  const named = namedKey(encryption);
  if (named === undefined || key === undefined || named === key.keyID) return '';
  return `; it names the key ${named}, and ${key.keyID} was used: if that key is yours, set spec.keyID to ${named}`;
}

function namedKey(encryption: unknown): KeyID | undefined {
  try {
    return checkedKeyID(fieldsOf(encryption)['keyID']);
  } catch {
    return undefined;
  }
}

interface Seal {
  readonly hmacSha256?: string;
  readonly sha256?: string;
}

function sealOf(line: string, encryption: unknown, key: BackupKey | undefined): Seal {
  const content = Buffer.from(line, 'utf8');
  if ((encryption === 'None') !== (key === undefined))
    throw new ManifestError(
      encryption === 'None'
        ? 'the manifest is not encrypted, but the store requires encryption'
        : 'the manifest is encrypted, but the store has no key',
    );
  if (key === undefined || encryption === 'None') return { sha256: manifestDigest(content) };
  return { hmacSha256: macOf(deriveKey(key, saltIn(encryption), MAC_PURPOSE), content) };
}

/** @throws ManifestError. Node.js would ignore what is not hexadecimal. */
function saltIn(encryption: unknown): Buffer {
  const { salt } = fieldsOf(encryption);
  if (typeof salt !== 'string' || !/^[0-9a-f]+$/.test(salt) || salt.length !== 2 * KEY_BYTES)
    throw new ManifestError('the manifest is incomplete');
  return Buffer.from(salt, 'hex');
}

function parsed(line: string): ReturnType<typeof fieldsOf> | undefined {
  try {
    const value: unknown = parseJsonWithin(line, { size: UNTRUSTED.manifest });
    return typeof value === 'object' && value !== null ? fieldsOf(value) : undefined;
  } catch {
    return undefined;
  }
}
