import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createKeyPool, makeKey } from './keys.ts';
import type { KeyAlgorithm } from './keys.ts';

const KEY: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** Keys that are made when the test says so. */
function controlled(): {
  readonly make: () => Promise<KeyObject>;
  readonly finish: (error?: Error) => Promise<void>;
  readonly started: () => number;
} {
  const pending: ((error?: Error) => void)[] = [];
  let started = 0;
  return {
    make: () => {
      started += 1;
      return new Promise((resolve, reject) => {
        pending.push((error) => (error === undefined ? resolve(KEY) : reject(error)));
      });
    },
    finish: async (error) => {
      pending.shift()?.(error);
      await new Promise((settled) => setImmediate(settled));
    },
    started: () => started,
  };
}

describe('key pool', () => {
  it('3.2 makes no more keys at one time than allowed, first come, first served', async () => {
    const { make, finish, started } = controlled();
    const pool = createKeyPool({ concurrency: 2, make });
    const order: number[] = [];
    const all = [0, 1, 2, 3].map(async (number) => {
      await pool.generate('rsa-2048');
      order.push(number);
    });
    expect(started()).toBe(2);
    await finish();
    expect(started()).toBe(3);
    await finish();
    await finish();
    await finish();
    await Promise.all(all);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('3.2 a key that cannot be made fails alone', async () => {
    const { make, finish } = controlled();
    const pool = createKeyPool({ concurrency: 1, make });
    const first = pool.generate('rsa-2048');
    const second = pool.generate('rsa-2048');
    const failed = expect(first).rejects.toThrow('no entropy');
    await finish(new Error('no entropy'));
    await failed;
    await finish();
    expect(await second).toBe(KEY);
  });

  it('3.2 keys made ahead are given out at once, each of them once', async () => {
    const made: KeyAlgorithm[] = [];
    const make = async (algorithm: KeyAlgorithm): Promise<KeyObject> => {
      made.push(algorithm);
      return makeKey('ec-p256');
    };
    const pool = createKeyPool({ ahead: { 'rsa-2048': 2, 'rsa-3072': 1 }, make });
    await pool.refill();
    await pool.refill();
    expect(made).toEqual(['rsa-3072', 'rsa-2048', 'rsa-2048']);
    const keys = await Promise.all([1, 2, 3].map(() => pool.generate('rsa-2048')));
    expect(new Set(keys).size).toBe(3);
    expect(made).toHaveLength(4);
  });

  it('3.2 the platform makes keys of the sizes asked for', async () => {
    const [leaf, authority, ec] = await Promise.all([
      makeKey('rsa-2048'),
      makeKey('rsa-3072'),
      makeKey('ec-p256'),
    ]);
    expect(leaf.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(authority.asymmetricKeyDetails?.modulusLength).toBe(3072);
    expect(ec.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  });
});

describe('sources of this folder', () => {
  const folder = new URL('.', import.meta.url);
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.includes('.test') && !name.endsWith('.d.ts'))
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);

  it('3.1 node-forge writes and reads ASN.1, and does nothing else', () => {
    const users = sources.filter(([, text]) => text.includes("from 'node-forge"));
    expect(users.map(([name]) => name)).toEqual(['asn1.ts']);
    expect(users[0]?.[1].match(/from 'node-forge[^']*'/g)).toEqual([
      "from 'node-forge/lib/asn1.js'",
      "from 'node-forge/lib/asn1.js'",
    ]);
  });

  it('3.1 clock, randomness and process come from outside', () => {
    const reached = /Date\.now|new Date\(\)|Math\.random|randomBytes\(|process\.|randomUUID/;
    expect(sources.filter(([, text]) => reached.test(text)).map(([name]) => name)).toEqual([]);
  });
});
