/** Private keys, made by the platform's native code off the event loop. */
import { generateKeyPair } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/**
 * `ec-p256` for certificates: 0.1 ms to make, and a handshake costs a server a twentieth of what RSA does. `rsa-2048`
 * for ServiceAccount tokens, which parties outside verify, and not all of them know more than RS256.
 */
export type KeyAlgorithm = 'rsa-2048' | 'ec-p256';

/** Makes private keys; passed in, so that tests need not wait for primes. */
export interface KeyGenerator {
  generate(algorithm: KeyAlgorithm): Promise<KeyObject>;
}

/** One key by the platform's generator, in a thread of its pool. */
export function makeKey(algorithm: KeyAlgorithm): Promise<KeyObject> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, _publicKey: KeyObject, privateKey: KeyObject): void =>
      error === null ? resolve(privateKey) : reject(error);
    if (algorithm === 'ec-p256') generateKeyPair('ec', { namedCurve: 'P-256' }, done);
    else generateKeyPair('rsa', { modulusLength: 2048 }, done);
  });
}

/** The platform's keys. */
export const PLATFORM_KEYS: KeyGenerator = { generate: makeKey };

/**
 * Makes one key after the other. Node.js has four threads for keys, files and names together: keys of many control planes
 * at once would delay the file with the token by which the operator renews its lease.
 */
export function oneAtATime(keys: KeyGenerator): KeyGenerator {
  let last: Promise<unknown> = Promise.resolve();
  return {
    generate(algorithm) {
      const made = last.then(() => keys.generate(algorithm));
      last = made.catch(() => undefined);
      return made;
    },
  };
}
