/** Reads and joins the keys of ServiceAccount tokens. Pure functions. */
import { createPublicKey } from 'node:crypto';
import { optionalField } from '../kubernetes/objects/records.ts';
import { publicKeyHash } from './certificate-info.ts';
import { RSA_BITS } from '../untrusted/limits.ts';
import { readPrivateKey } from '../untrusted/x509.ts';
import { publicKeyPem, splitPublicKeys } from './pem.ts';
import type { ServiceAccountKeys } from './types.ts';

/** Keys of the CA backup Secret with private keys that do not sign. */
export const SPARE_KEYS = {
  successor: 'service-account-successor.key',
  retired: 'service-account-retired.key',
} as const;

/** Key of the CA backup Secret with the public key that a rotation replaces. */
export const FORMER_KEY = 'service-account-former.pub';

/** Files of a Secret with ServiceAccount keys, PEM. */
interface KeyFiles {
  readonly signing: string | undefined;
  /** public keys */
  readonly bundle?: string | undefined;
  readonly successor?: string | undefined;
  readonly retired?: string | undefined;
  /** public key */
  readonly former?: string | undefined;
}

/** Reads ServiceAccount keys. @returns undefined if the signing key is unreadable */
export function readKeys({
  signing,
  bundle = '',
  successor,
  retired,
  former = '',
}: KeyFiles): ServiceAccountKeys | undefined {
  const key = readPrivateKey(signing ?? '', RSA_BITS.authority);
  if (signing === undefined || key === undefined) return undefined;
  const own = publicKeyPem(key);
  const hash = publicKeyHash(createPublicKey(key));
  const others = splitPublicKeys(bundle).filter((pem) => isOtherKey(pem, hash));
  const kept = splitPublicKeys(former).find((pem) => isOtherKey(pem, hash));
  return {
    signing,
    verifying: [own, ...others],
    ...(isSpare(successor, signing) && { successor }),
    ...(isSpare(retired, signing) && { retired }),
    ...optionalField('former', kept),
  };
}

/** Returns whether a key is valid and differs from that with the hash `own`. An unreadable key would prevent the API server start. */
function isOtherKey(pem: string, own: string): boolean {
  try {
    return publicKeyHash(createPublicKey(pem)) !== own;
  } catch {
    return false;
  }
}

const isSpare = (key: string | undefined, signing: string): key is string =>
  key !== undefined && key !== signing && readPrivateKey(key, RSA_BITS.authority) !== undefined;

/** Signs with the successor from now on, and keeps the key that signed. Without a successor, it changes nothing. */
export function withPromotedKey({
  signing,
  verifying,
  successor,
}: ServiceAccountKeys): ServiceAccountKeys | undefined {
  const key = successor === undefined ? undefined : readPrivateKey(successor, RSA_BITS.authority);
  if (successor === undefined || key === undefined) return undefined;
  const own = publicKeyPem(key);
  const others = verifying.filter((pem) => pem !== own);
  return { signing: successor, verifying: [own, ...others], retired: signing };
}

/**
 * Joins the keys of the Secret in use with those of the CA backup Secret. They differ after an interruption between the writes
 * of both. Tokens are then signed with the key in use, and the other private key is kept.
 * @returns undefined if the keys are unrelated, or if there are more private keys than places
 */
export function joinedKeys(
  used: ServiceAccountKeys,
  saved: ServiceAccountKeys,
): ServiceAccountKeys | undefined {
  const { successor, retired, former } = saved;
  const [own = ''] = used.verifying;
  const [other = ''] = saved.verifying;
  const { signing, verifying } = used;
  const keys = { signing, verifying, ...optionalField('former', former) };
  if (own === other)
    return {
      ...keys,
      ...(successor !== undefined && { successor }),
      ...(retired !== undefined && { retired }),
    };
  const areRelated = used.verifying.includes(other) && saved.verifying.includes(own);
  const isThird = [successor, retired].some((key) => key !== undefined && key !== used.signing);
  if (!areRelated || isThird) return undefined;
  return successor === used.signing
    ? { ...keys, retired: saved.signing }
    : { ...keys, successor: saved.signing };
}

/** Forgets the public key that a rotation has replaced. */
export const withoutFormer = ({ former: _, ...keys }: ServiceAccountKeys): ServiceAccountKeys =>
  keys;
