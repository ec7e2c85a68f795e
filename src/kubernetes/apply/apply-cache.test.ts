import { describe, expect, it } from '@jest/globals';
import { ApplyCache, type Intent } from './apply-cache.ts';
import { collector } from '../informers/collector.fixture.ts';
import { reduceToMetadata } from '../objects/cache-transform.ts';
import type { KubernetesObject } from '../objects/object.ts';

function deployment(resourceVersion: string, generation: number, uid = 'one'): KubernetesObject {
  const metadata = { namespace: 'team', name: 'demo', uid, resourceVersion, generation };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
}

const intent: Intent = {
  desired: deployment('', 0),
  hash: 'hash',
  reduce: (object) => object,
};

describe('ApplyCache.current', () => {
  const written = deployment('7', 2);
  const cases: readonly (readonly [string, KubernetesObject, string])[] = [
    ['the write when the cache has the version before it', deployment('5', 1), '7'],
    ['the write when the cache has an older status update', deployment('6', 1), '7'],
    ['the cached object when it is the write', deployment('7', 2), '7'],
    ['the cached object when it has a later change', deployment('8', 3), '8'],
    ['the cached object when it has a later status update', deployment('9', 2), '9'],
    ['the cached object when it was recreated', deployment('8', 1, 'two'), '8'],
    ['the cached object when it was restored from a backup', deployment('4', 1), '4'],
  ];
  const copyOf = (resourceVersion: string): KubernetesObject => {
    const metadata = { namespace: 'team', name: 'demo', uid: 'one', resourceVersion };
    return { apiVersion: 'v1', kind: 'Secret', metadata };
  };
  const versions: readonly (readonly [string, string, string])[] = [
    ['the write when another client changed the Secret before it', '6', '7'],
    ['the cached Secret when it has a later change', '8', '8'],
    ['the cached Secret when it was restored from a backup', '4', '4'],
  ];
  it.each(versions)('returns %s', (_, cached, expected) => {
    const memory = new ApplyCache();
    const secret = { ...intent, desired: copyOf('') };
    memory.written(secret, copyOf('7'), copyOf('5'));
    const current = memory.current(secret, copyOf(cached));
    expect(current?.metadata.resourceVersion).toBe(expected);
  });

  it.each(cases)('returns %s', (_, cached, expected) => {
    const memory = new ApplyCache();
    memory.written(intent, written, deployment('5', 1));
    expect(memory.current(intent, cached)?.metadata.resourceVersion).toBe(expected);
  });

  it.each(['5', '6', '7', '8'])(
    'returns the last of two writes when the cache still has version %s',
    (version) => {
      const memory = new ApplyCache();
      const cached = deployment('5', 1);
      memory.written(intent, written, memory.current(intent, cached));
      memory.written(intent, deployment('9', 3), memory.current(intent, cached));
      const current = memory.current(intent, deployment(version, version < '7' ? 1 : 2));
      expect(current?.metadata.resourceVersion).toBe('9');
    },
  );

  it('returns the cached object when the write changed nothing', () => {
    const memory = new ApplyCache();
    const cached = deployment('7', 2);
    memory.written(intent, written, cached);
    expect(memory.current(intent, cached)).toBe(cached);
  });

  it('returns undefined when the object is not cached', () => {
    const memory = new ApplyCache();
    memory.written(intent, written, deployment('5', 1));
    expect(memory.current(intent, undefined)).toBeUndefined();
  });
});

describe('ApplyCache of an API server that is not trusted', () => {
  const MIB = 1_048_576;
  /** Written objects, which the watch cache never contains. */
  const write = (memory: ApplyCache, count: number): readonly string[] => {
    const names = Array.from({ length: count }, (_, index) => `demo${String(index)}`);
    const named = (name: string, version: string): KubernetesObject => {
      const { metadata, ...object } = deployment(version, 1);
      return { ...object, metadata: { ...metadata, name }, status: { note: 'x'.repeat(MIB) } };
    };
    for (const name of names)
      memory.written({ ...intent, desired: named(name, '') }, named(name, '7'), named(name, '5'));
    return names.filter((name) => {
      const current = memory.current({ ...intent, desired: named(name, '') }, named(name, '5'));
      return current?.metadata.resourceVersion === '7';
    });
  };

  it('keeps the latest results of writes within a limit', () => {
    expect(write(new ApplyCache({ maxKept: 4.5 * MIB }), 100)).toEqual([
      'demo96',
      'demo97',
      'demo98',
      'demo99',
    ]);
  });

  it('keeps none above the limit', () => {
    expect(write(new ApplyCache({ maxKept: MIB }), 3)).toEqual([]);
  });

  it('keeps the latest created objects within the limit, although the watch never reaches them', () => {
    const memory = new ApplyCache({ cacheVersion: () => '1', maxKept: 4.5 * MIB });
    const created = Array.from({ length: 100 }, (_, index) => {
      const { metadata, ...object } = deployment('7', 1);
      const named = { ...object, metadata: { ...metadata, name: `demo${String(index)}` } };
      memory.written(
        { ...intent, desired: named },
        { ...named, status: { note: 'x'.repeat(MIB) } },
      );
      return named;
    });
    const kept = created.filter(
      (object) => memory.current({ ...intent, desired: object }, undefined) !== undefined,
    );
    expect(kept.map(({ metadata }) => metadata.name)).toEqual([
      'demo96',
      'demo97',
      'demo98',
      'demo99',
    ]);
  });

  it('keeps all without a limit', () => {
    expect(write(new ApplyCache(), 20)).toHaveLength(20);
  });
});

describe('ApplyCache.current of an object that was created', () => {
  /** @param version of the cache, first at the creation */
  const setUp = () => {
    const cache: { version: string | undefined } = { version: '5' };
    const memory = new ApplyCache({ cacheVersion: () => cache.version });
    memory.written(intent, deployment('7', 1));
    const current = (version: string | undefined, cached?: KubernetesObject) => {
      cache.version = version;
      return memory.current(intent, cached);
    };
    return { memory, current };
  };

  it.each([
    ['the object when the cache has not reached its version', '5', '7'],
    ['the object when the cache has changed since, but not as far', '6', '7'],
    ['nothing when the cache has reached its version, since it was deleted again', '7', undefined],
    ['nothing when the cache is newer', '8', undefined],
    ['nothing when the cache is being read', undefined, undefined],
    ['nothing when the cache is that of a restored cluster', '3', undefined],
    ['nothing when versions cannot be compared', 'x', undefined],
  ])('returns %s', (_, version, expected) => {
    const { memory, current } = setUp();
    expect(current(version)?.metadata.resourceVersion).toBe(expected);
    expect(memory.isHidden(intent)).toBe(true);
  });

  it.each([
    ['the object until the first list of the cache', '0', '7'],
    ['nothing when that list does not contain it', '9', undefined],
  ])('returns %s', (_, version, expected) => {
    const cache = { version: '0' };
    const memory = new ApplyCache({ cacheVersion: () => cache.version });
    memory.written(intent, deployment('7', 1));
    cache.version = version;
    expect(memory.current(intent, undefined)?.metadata.resourceVersion).toBe(expected);
  });

  it('returns nothing when a cache that had a list is emptied', () => {
    const { current } = setUp();
    expect(current('0')).toBeUndefined();
  });

  it('returns the last write until the cache contains that', () => {
    const { memory, current } = setUp();
    memory.written(intent, deployment('9', 2), current('5'));
    expect(current('6')?.metadata.resourceVersion).toBe('9');
    expect(current('7', deployment('7', 1))?.metadata.resourceVersion).toBe('9');
    expect(current('9', deployment('9', 2))?.metadata.resourceVersion).toBe('9');
    expect(current('10')).toBeUndefined();
  });

  it('forgets objects that the cache has reached, without being asked for them', async () => {
    const collect = collector();
    let version = 0;
    const memory = new ApplyCache({ cacheVersion: () => String(version) });
    const before = await collect();
    for (version = 0; version < 40; version += 1) {
      const { metadata, ...rest } = deployment(String(version + 1), 1);
      const name = `demo-${String(version)}`;
      const object = { ...rest, metadata: { ...metadata, name }, data: 'x'.repeat(500_000) };
      memory.written({ ...intent, desired: object }, structuredClone(object));
    }
    expect((await collect()) - before).toBeLessThan(4_000_000);
  });

  it('returns nothing of an object whose existence is all that is known', () => {
    const memory = new ApplyCache({ cacheVersion: () => '1' });
    memory.hidden(intent);
    expect(memory.current(intent, undefined)).toBeUndefined();
  });
});

describe('ApplyCache.isVerified', () => {
  const partial = { ...intent, reduce: reduceToMetadata };

  it('returns true for the version of an object that is cached as metadata only', () => {
    const memory = new ApplyCache();
    memory.verified(partial, deployment('7', 2));
    expect(memory.isVerified(partial, deployment('8', 2))).toBe(true);
    expect(memory.isVerified(partial, deployment('8', 3))).toBe(false);
    expect(memory.isVerified({ ...partial, hash: 'other' }, deployment('7', 2))).toBe(false);
  });

  it('keeps nothing of an object that is cached as a whole', () => {
    const memory = new ApplyCache();
    memory.written(intent, deployment('7', 2));
    expect(memory.isVerified(intent, deployment('7', 2))).toBe(false);
  });
});

describe('ApplyCache.isHidden', () => {
  it('returns true from the creation of an object until the cache contains it', () => {
    const memory = new ApplyCache();
    expect(memory.isHidden(intent)).toBe(false);
    memory.written(intent, deployment('7', 1));
    expect(memory.isHidden(intent)).toBe(true);
    memory.current(intent, undefined);
    expect(memory.isHidden(intent)).toBe(true);
    memory.current(intent, deployment('7', 1));
    expect(memory.isHidden(intent)).toBe(false);
  });

  it('returns false for an object that was forgotten', () => {
    const memory = new ApplyCache();
    memory.hidden(intent);
    memory.forget(intent.desired);
    expect(memory.isHidden(intent)).toBe(false);
  });
});
