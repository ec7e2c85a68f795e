/** Generates private keys with the native code of Node.js outside the event loop. */
import type { IssueContext } from './x509.ts';
import { generateKeyPair } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { BackgroundSlots } from '../kubernetes/fairness/background-slots.ts';

/**
 * `ec-p256` for certificates: generating a key takes 0.1 ms, and a handshake costs a server 5 % of one with RSA.
 * `rsa-2048` for ServiceAccount tokens, because some external verifiers support only RS256.
 */
export type KeyAlgorithm = 'rsa-2048' | 'ec-p256';

/** Generates private keys. Injected, so that tests need not wait for RSA primes. */
export interface KeyGenerator {
  generate(algorithm: KeyAlgorithm): Promise<KeyObject>;
}

/** Generates one key in the thread pool of Node.js. */
export function makeKey(algorithm: KeyAlgorithm): Promise<KeyObject> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, _publicKey: KeyObject, privateKey: KeyObject): void =>
      error === null ? resolve(privateKey) : reject(error);
    if (algorithm === 'ec-p256') generateKeyPair('ec', { namedCurve: 'P-256' }, done);
    else generateKeyPair('rsa', { modulusLength: 2048 }, done);
  });
}

/** Key generator of Node.js. */
export const PLATFORM_KEYS: KeyGenerator = { generate: makeKey };

/**
 * Generates keys one after another. Why: Node.js has four threads for keys, files and DNS lookups. Parallel keys of many
 * control planes would delay reading the token file with which the operator renews its Lease.
 * @param turns with a single slot
 */
export function oneAtATime(keys: KeyGenerator, turns: Pick<BackgroundSlots, 'run'>): KeyGenerator {
  return { generate: (algorithm) => turns.run(() => keys.generate(algorithm)) };
}

/** Clock, randomness and key generator for issuing certificates. */
export interface Issuance extends IssueContext {
  readonly keys: KeyGenerator;
}
