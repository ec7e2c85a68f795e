import { describe, expect, it } from '@jest/globals';
import { CacheQuota } from '../kubernetes/informers/cache-quota/cache-quota.ts';
import { QUOTA_LIMITS } from '../kubernetes/informers/cache-quota/quota-limits.ts';
import { manualClock, memoryLog } from '../kubernetes/time/clock.fixture.ts';
import { informerGroup } from '../kubernetes/informers/informer-group.ts';
import { ownerIndex } from '../kubernetes/informers/ownership.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import { IncompleteCacheError, OWNER, ownedBy } from './host.ts';

function setUp(keepsAll = false) {
  const common = { clock: manualClock(), log: memoryLog(), random: () => 0.5 };
  const of = new CacheQuota(common);
  const client = {
    list: () => Promise.resolve({ resourceVersion: '1', items: [] }),
    async *watch() {
      yield* await Promise.resolve([]);
    },
  };
  const options = { ...common, client, type: resources.Secret, indexes: ownerIndex(OWNER) };
  const group = informerGroup({ ...options, quota: { of, keepsAll } }, undefined);
  return { of, read: () => ownedBy([group], 'team/demo') };
}

const tooMany = { objects: QUOTA_LIMITS.cached.objects + 1_000, bytes: 0 };

describe('ownedBy', () => {
  it('returns the objects of a complete namespace', () => {
    const { of, read } = setUp();
    of.admit('team');
    expect(read()).toEqual([]);
  });

  it.each<[string, boolean, (of: CacheQuota) => void]>([
    ['has no Karmada object', false, () => undefined],
    ['is being read', false, (of) => (of.start(), of.admit('team'))],
    ['is dropped', false, (of) => (of.admit('team'), of.add('team', tooMany, 'secrets'))],
    [
      'is dropped from caches that keep all namespaces',
      true,
      (of) => (of.admit('team'), of.add('team', tooMany, 'secrets')),
    ],
  ])('fails, instead of reporting no objects, when the namespace %s', (_, keepsAll, begin) => {
    const { of, read } = setUp(keepsAll);
    begin(of);
    expect(read).toThrow(IncompleteCacheError);
    expect(read).toThrow('secrets in namespace team');
    of.close();
  });
});
