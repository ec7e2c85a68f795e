/** Keys of encrypted backups: the key of the user, and the keys that are derived from it. Pure. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { KEY_ID } from './shape.ts';

declare const checked: unique symbol;

/** Name of a key in `data` of a Secret: never a path. Only `checkedKeyID` creates it. */
export type KeyID = string & { readonly [checked]: 'KeyID' };

/** Key of the user with its name in the Secret. */
export interface BackupKey {
  /** Key in `data` of the Secret. The manifest contains it as information. */
  readonly keyID: KeyID;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

/** Length of keys and salts in bytes. */
export const KEY_BYTES = 32;

/** Prefix of the HKDF context. The name of the derived key follows. */
const CONTEXT = 'karmada-operator/backup/v1/';

/** Error of a key that is not usable. The message does not contain the key. */
class BackupKeyError extends Error {
  override readonly name = 'BackupKeyError';
}

const isKeyID = (value: unknown): value is KeyID => KEY_ID(value);

/** Checks the name of a key. @throws BackupKeyError for anything that is not such a name, without repeating it */
export function checkedKeyID(text: unknown): KeyID {
  if (isKeyID(text)) return text;
  throw new BackupKeyError(
    'keyID: not the name of a key in data of a Secret: letters, digits, "-", "_" and "."',
  );
}

/**
 * Parses a key: 64 hexadecimal digits, optionally with white space around them.
 * @throws BackupKeyError for anything else, and for an invalid name
 */
export function parseBackupKey(keyID: string, text: string): BackupKey {
  const digits = text.trim();
  if (!/^[0-9a-fA-F]{64}$/.test(digits))
    throw new BackupKeyError(
      `key ${JSON.stringify(keyID)} must be 32 bytes as 64 hexadecimal digits, such as the output of "openssl rand -hex 32"`,
    );
  return { keyID: checkedKeyID(keyID), bytes: Buffer.from(digits, 'hex') };
}

/**
 * Derives a key of 32 bytes with HKDF-SHA-256 (RFC 5869).
 * @param salt random, of this backup
 * @param purpose name of the file, or `manifest`
 */
export function deriveKey({ bytes }: BackupKey, salt: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', bytes, salt, CONTEXT + purpose, KEY_BYTES));
}

/** HMAC-SHA-256 in hexadecimal. */
export const macOf = (key: Buffer, content: Buffer): string =>
  createHmac('sha256', key).update(content).digest('hex');

/** Compares two hexadecimal digests in constant time. */
export function isSameDigest(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8')];
  return left.length === right.length && timingSafeEqual(left, right);
}
