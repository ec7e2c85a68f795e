import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import { settle } from '../time/clock.fixture.ts';
import { NameResolver } from './name-resolver.ts';
import type { NameSources } from './name-sources.ts';

const missing = Object.assign(new Error('not found'), { code: 'ENOTFOUND' });

type Addresses = Readonly<Record<string, readonly LookupAddress[]>>;

/**
 * Fake sources. A lookup in the thread of a name that neither source has stays pending until `endLookup`, and a query of a name
 * that begins with `slow` for ever.
 */
function setUp(known: Addresses, system: Addresses = {}) {
  const [queries, threads]: [string[], string[]] = [[], []];
  const ended: (() => void)[] = [];
  const sources: NameSources = {
    resolve: (name) => {
      queries.push(name);
      return name.startsWith('slow')
        ? new Promise(() => undefined)
        : Promise.resolve(known[name] ?? []);
    },
    lookup: (name) => {
      const found = system[name];
      threads.push(name);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((_, reject) => ended.push(() => reject(missing)));
    },
  };
  const names = new NameResolver(sources);
  const askAs = (
    tenant: string,
    name: string,
    options: { all?: boolean; family?: 4 | 6 } = {},
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      names.for(tenant)(name, options, (error, address, family) =>
        error ? reject(error) : resolve(family === undefined ? address : [address, family]),
      );
    });
  const ask = (name: string, options?: { all?: boolean; family?: 4 | 6 }): Promise<unknown> =>
    askAs('team', name, options);
  return { ask, askAs, queries, threads, endLookup: () => ended.shift()?.() };
}

const FOUR: LookupAddress = { address: '192.0.2.1', family: 4 };
const SIX: LookupAddress = { address: '2001:db8::1', family: 6 };

const numbered = (count: number, name: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

describe('NameResolver', () => {
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

  it('lets the tenants take turns in the thread', async () => {
    const { askAs, threads, endLookup } = setUp({});
    const dead = [...numbered(20, 'a'), 'b', 'c'].map((name) =>
      askAs(name[0] ?? '', name).catch(() => 'failed'),
    );
    await settle();
    for (let round = 0; round < 3; round += 1) {
      endLookup();
      await settle();
    }
    expect(threads.toSorted()).toEqual(['a-0', 'a-1', 'b', 'c']);
    for (let rest = dead.length; rest > 3; rest -= 1) {
      endLookup();
      await settle();
    }
    expect(await Promise.all(dead)).toEqual(dead.map(() => 'failed'));
  });

  it('limits the queries of one tenant, and not those of others', async () => {
    const { askAs, queries } = setUp({ well: [FOUR] });
    for (const name of numbered(256, 'slow')) void askAs('a', name);
    await settle();
    expect(queries).toHaveLength(16);
    await expect(askAs('a', 'well')).rejects.toMatchObject({
      code: 'EAI_AGAIN',
      message: 'well: 256 other names of the same namespace wait for DNS servers',
    });
    expect(await askAs('b', 'well')).toEqual([FOUR.address, 4]);
  });
});
