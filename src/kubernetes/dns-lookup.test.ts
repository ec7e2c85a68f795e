import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import { settle } from './clock.fixture.ts';
import { createLookup, type NameSources } from './dns-lookup.ts';

const missing = Object.assign(new Error('not found'), { code: 'ENOTFOUND' });

/** Fake sources. A lookup in the thread of a name that neither source has stays pending until `endLookup`. */
function setUp(
  known: Readonly<Record<string, readonly LookupAddress[]>>,
  system: Readonly<Record<string, readonly LookupAddress[]>> = {},
) {
  const threads: string[] = [];
  const ended: (() => void)[] = [];
  const sources: NameSources = {
    resolve: (name, family) => {
      const found = (known[name] ?? []).filter((one) => one.family === family);
      return found.length > 0
        ? Promise.resolve(found.map(({ address }) => address))
        : Promise.reject(missing);
    },
    lookup: (name) => {
      const found = system[name];
      threads.push(name);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((_, reject) => ended.push(() => reject(missing)));
    },
  };
  const lookup = createLookup(sources);
  const ask = (name: string, options: { all?: boolean; family?: 4 | 6 } = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lookup(name, options, (error, address, family) =>
        error ? reject(error) : resolve(family === undefined ? address : [address, family]),
      );
    });
  return { ask, threads, endLookup: () => ended.shift()?.() };
}

const FOUR: LookupAddress = { address: '192.0.2.1', family: 4 };
const SIX: LookupAddress = { address: '2001:db8::1', family: 6 };

describe('createLookup', () => {
  it.each<[string, { all?: boolean; family?: 4 | 6 }, unknown]>([
    ['all addresses', { all: true }, [FOUR, SIX]],
    ['the first address', {}, [FOUR.address, 4]],
    ['the first address of an IP family', { family: 6 }, [SIX.address, 6]],
    ['all addresses of an IP family', { family: 6, all: true }, [SIX]],
  ])('returns %s without a thread when DNS resolves the name', async (_, options, expected) => {
    const { ask, threads } = setUp({ host: [FOUR, SIX] });
    expect(await ask('host', options)).toEqual(expected);
    expect(threads).toEqual([]);
  });

  it('uses the resolver of the operating system when DNS does not resolve the name', async () => {
    const { ask } = setUp({}, { alias: [FOUR] });
    expect(await ask('alias', { all: true })).toEqual([FOUR]);
    await expect(ask('alias', { family: 6 })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('uses one thread for all unresponsive names and does not delay other names', async () => {
    const { ask, threads, endLookup } = setUp({ well: [FOUR] });
    const dead = ['one', 'one', 'two', 'three'].map((name) => ask(name).catch(() => 'failed'));
    await settle();
    expect(threads).toEqual(['one']);
    expect(await ask('well')).toEqual([FOUR.address, 4]);
    for (const names of [
      ['one', 'two'],
      ['one', 'two', 'three'],
    ]) {
      endLookup();
      await settle();
      expect(threads).toEqual(names);
    }
    endLookup();
    expect(await Promise.all(dead)).toEqual(['failed', 'failed', 'failed', 'failed']);
  });
});
