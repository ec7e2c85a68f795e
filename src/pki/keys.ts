/** Private keys, made by the platform's native code off the event loop. */
import { generateKeyPair } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

export type KeyAlgorithm = 'rsa-2048' | 'rsa-3072' | 'ec-p256';

/** Makes private keys; passed in, so that tests need not wait for primes. */
export interface KeyGenerator {
  generate(algorithm: KeyAlgorithm): Promise<KeyObject>;
}

/** A generator that can make keys before they are asked for. */
export interface KeyPool extends KeyGenerator {
  /** Tops the store up; call it when nothing else is to do. Resolves when the store is full. */
  refill(): Promise<void>;
}

/** Makes one key. */
export type MakeKey = (algorithm: KeyAlgorithm) => Promise<KeyObject>;

export interface KeyPoolOptions {
  /**
   * Keys made at one time. The platform has four threads for keys, files and name look-ups together:
   * two keep a burst of installs from delaying the renewal of the leader lease.
   */
  readonly concurrency?: number;
  /** How many keys of which kind `refill` keeps in store. */
  readonly ahead?: Readonly<Partial<Record<KeyAlgorithm, number>>>;
  readonly make?: MakeKey;
}

/** One key by the platform's generator, in a thread of its pool. */
export const makeKey: MakeKey = (algorithm) =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, _publicKey: KeyObject, privateKey: KeyObject): void =>
      error === null ? resolve(privateKey) : reject(error);
    if (algorithm === 'ec-p256') generateKeyPair('ec', { namedCurve: 'P-256' }, done);
    else generateKeyPair('rsa', { modulusLength: algorithm === 'rsa-2048' ? 2048 : 3072 }, done);
  });

/**
 * A generator shared by all instances: first come, first served, a bounded number at a time, so that
 * the first of several installs is served in full before the last one starts.
 */
export function createKeyPool(options: KeyPoolOptions = {}): KeyPool {
  const { concurrency = 2, ahead = {}, make = makeKey } = options;
  const store = new Map<KeyAlgorithm, KeyObject[]>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const makeInTurn = async (algorithm: KeyAlgorithm): Promise<KeyObject> => {
    if (running < concurrency) running += 1;
    else await new Promise<void>((turn) => waiting.push(turn));
    try {
      return await make(algorithm);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };

  const stored = (algorithm: KeyAlgorithm): KeyObject[] => {
    const keys = store.get(algorithm) ?? [];
    store.set(algorithm, keys);
    return keys;
  };

  const topUp = async (algorithm: KeyAlgorithm, wanted: number): Promise<void> => {
    // One after another, so that a key which is asked for meanwhile waits for one of these at most.
    while (stored(algorithm).length < wanted) stored(algorithm).push(await makeInTurn(algorithm));
  };

  return {
    generate: async (algorithm) => stored(algorithm).pop() ?? makeInTurn(algorithm),
    refill: async () => {
      await topUp('rsa-3072', ahead['rsa-3072'] ?? 0);
      await topUp('rsa-2048', ahead['rsa-2048'] ?? 0);
      await topUp('ec-p256', ahead['ec-p256'] ?? 0);
    },
  };
}
