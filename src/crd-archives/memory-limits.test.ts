import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CrdArchive } from '../controlplane/crds.ts';
import {
  memoryOf,
  namespacesWithin,
  toEvict,
  withinNamespace,
  type ArchiveUse,
} from './memory-limits.ts';

const use = (
  digest: string,
  bytes: number,
  lastUsed: number,
  ...namespaces: string[]
): ArchiveUse => ({ digest, bytes, lastUsed, namespaces });

describe('toEvict', () => {
  it.each<[string, readonly ArchiveUse[], readonly string[]]>([
    ['nothing within the limit', [use('a', 5, 1, 'x'), use('b', 5, 2, 'y')], []],
    ['the least recently used', [use('a', 6, 2, 'x'), use('b', 6, 1, 'x')], ['b']],
    [
      'those of the namespace with the most memory',
      [use('a', 2, 1, 'x'), use('b', 6, 2, 'y'), use('c', 6, 3, 'y')],
      ['b'],
    ],
    [
      'one that a namespace with little memory uses as well last',
      [use('a', 6, 1, 'x', 'y'), use('b', 6, 2, 'y')],
      ['b'],
    ],
    ['one that no namespace may use first', [use('a', 6, 1, 'x'), use('b', 6, 2)], ['b']],
  ])('returns %s', (_, uses, evicted) => {
    expect(toEvict(uses, 10)).toEqual(evicted);
  });

  it('leaves archives within the limit', () => {
    const uses = fc.uniqueArray(
      fc.record({
        digest: fc.string(),
        bytes: fc.nat(100),
        lastUsed: fc.nat(),
        namespaces: fc.array(fc.constantFrom('x', 'y')),
      }),
      { selector: ({ digest }) => digest },
    );
    fc.assert(
      fc.property(uses, fc.nat(300), (all, limit) => {
        const evicted = new Set(toEvict(all, limit));
        const rest = all.filter(({ digest }) => !evicted.has(digest));
        expect(rest.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(limit);
      }),
    );
  });
});

describe('withinNamespace', () => {
  const user = (key: string, createdAt: string, digest: string, bytes: number) => ({
    key,
    createdAt,
    digest,
    bytes,
  });

  it('returns the control planes that were created first, and those with the same archives', () => {
    const users = [
      user('c', '3', 'small', 2),
      user('b', '2', 'large', 9),
      user('a', '1', 'first', 6),
      user('d', '4', 'first', 6),
    ];
    expect([...withinNamespace(users, 10)].sort()).toEqual(['a', 'c', 'd']);
  });
});

describe('namespacesWithin', () => {
  it('returns the namespaces of each source without those of control planes above the limit', () => {
    const user = (namespace: string, name: string, bytes: number, identity: string) => ({
      key: `${namespace}/${name}`,
      namespace,
      identity,
      digest: identity,
      bytes,
      createdAt: name,
    });
    const users = [
      user('x', '1', 6, 'shared'),
      user('x', '2', 9, 'large'),
      user('y', '1', 9, 'large'),
      user('y', '2', 6, 'shared'),
      user('z', '1', 6, 'shared'),
    ];
    expect([...namespacesWithin(users, 10)].sort()).toEqual([
      ['large', ['y']],
      ['shared', ['x', 'z']],
    ]);
  });
});

describe('memoryOf', () => {
  it('returns at least the size of all texts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const archive = { crds: [value], problems: [] } as unknown as CrdArchive;
        expect(memoryOf(archive)).toBeGreaterThan(JSON.stringify(value).length / 2);
      }),
    );
  });
});
