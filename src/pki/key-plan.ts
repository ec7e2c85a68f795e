/** Keys of ServiceAccount tokens during a rotation: pure, besides a new key. Keys are SHA-256 of their public half. */
import { createPublicKey } from 'node:crypto';
import { optionalField } from '../kubernetes/objects/records.ts';
import { publicKeyHash } from './certificate-info.ts';
import type { KeyGenerator } from './keys.ts';
import { privateKeyPem } from './pem.ts';
import type { ServiceAccountKeys } from './types.ts';

/** What a rotation demands. */
export interface KeyPlan {
  /** Key that signs; that of the Secret in use by default. */
  readonly signing?: string;
  /** Keys that verify, that which signs first; those of the Secret in use by default. */
  readonly verifying?: readonly string[];
  /** Private key that signs next. `new`: one that verifies nothing, which is created if there is none. */
  readonly successor?: string;
  /** Private key that signed before. Without it, the key is destroyed. */
  readonly retired?: string;
  /** Public key that is kept, whether it verifies or not. */
  readonly former?: string;
}

/** A successor that verifies nothing yet. */
export const NEW_KEY = 'new';

const hashOf = (pem: string): string => publicKeyHash(createPublicKey(pem));

/**
 * Returns the keys of a plan.
 * @returns the same keys if one that the plan needs is missing, so that the operator never verifies less than it must; also if the plan
 *   is of an earlier phase than the Secret in use, because a CA backup Secret was restored
 */
export async function withKeyPlan(
  keys: ServiceAccountKeys,
  plan: KeyPlan,
  generator: KeyGenerator,
): Promise<ServiceAccountKeys> {
  const privates = privateKeys(keys);
  const publics = publicKeys(keys, privates);
  const [own = '', ...others] = keys.verifying.map(hashOf);
  const wanted = plan.verifying ?? [own, ...others];
  const signing = privates.get(plan.signing ?? own);
  const verifying = wanted.flatMap((hash) => publics.get(hash) ?? []);
  if (signing === undefined || verifying.length < wanted.length) return keys;
  if (isOutdated(plan, [own, ...others])) return keys;
  const unusedKey = async (): Promise<string> =>
    unused(privates, keys) ?? privateKeyPem(await generator.generate('rsa-2048'));
  const named = (hash = ''): string | undefined => privates.get(hash);
  const isNew = plan.successor === NEW_KEY;
  return {
    signing,
    verifying,
    ...optionalField('successor', isNew ? await unusedKey() : named(plan.successor)),
    ...optionalField('retired', named(plan.retired)),
    ...optionalField('former', publics.get(plan.former ?? '')),
  };
}

/** Whether the plan lets a key sign again that verifies nothing any more, or replaces a key that it does not know. */
function isOutdated(
  { signing, successor, retired, former = retired }: KeyPlan,
  [own, ...others]: readonly string[],
): boolean {
  if (signing === undefined || own === signing) return false;
  return own !== (former ?? successor) || (former === undefined && !others.includes(signing));
}

type Keys = ReadonlyMap<string, string>;

/** Private keys by hash. */
const privateKeys = ({ signing, successor, retired }: ServiceAccountKeys): Keys =>
  new Map(
    [signing, successor, retired].flatMap((pem) =>
      pem === undefined ? [] : [[hashOf(pem), pem] as const],
    ),
  );

/** Public keys by hash, also those of private keys that verify nothing yet. */
const publicKeys = ({ verifying, former }: ServiceAccountKeys, privates: Keys): Keys =>
  new Map([
    ...(former === undefined ? [] : [[hashOf(former), former] as const]),
    ...[...privates].map(([hash, pem]) => [hash, publicOf(pem)] as const),
    ...verifying.map((pem) => [hashOf(pem), pem] as const),
  ]);

const publicOf = (pem: string): string =>
  createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString();

/** A private key that never signed or verified. */
function unused(privates: Keys, { verifying }: ServiceAccountKeys): string | undefined {
  const used = new Set(verifying.map(hashOf));
  return [...privates].find(([hash]) => !used.has(hash))?.[1];
}

/** What the Secrets have of the keys. */
export interface KeyFacts {
  /** Key that signs. */
  readonly signing: string;
  readonly verifying: readonly string[];
  /** All keys whose private half exists. */
  readonly privates: readonly string[];
  readonly successor?: string;
  /** Public key that a rotation has kept. */
  readonly former?: string;
}

/** Describes keys by their hashes. */
export const keyFactsOf = (keys: ServiceAccountKeys): KeyFacts => ({
  signing: hashOf(keys.signing),
  verifying: keys.verifying.map(hashOf),
  privates: [...privateKeys(keys).keys()],
  ...(keys.successor !== undefined && { successor: hashOf(keys.successor) }),
  ...(keys.former !== undefined && { former: hashOf(keys.former) }),
});
