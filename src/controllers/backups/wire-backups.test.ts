import { describe, expect, it } from '@jest/globals';
import type { InformerGroup } from '../../kubernetes/informers/informer-group.ts';
import type { Change } from '../../kubernetes/informers/informer-options.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { Store } from '../../kubernetes/informers/store.ts';
import { restoresByBackup, wireBackups, type Caches } from './wire-backups.ts';

const object = (kind: string, name: string, spec: object = {}): KubernetesObject => ({
  ...{ apiVersion: 'backup.operator.karmada.io/v1alpha1', kind, spec },
  metadata: { namespace: 'team', name },
});

function cacheOf() {
  const handlers: ((change: Change) => void)[] = [];
  const cache = new Store(restoresByBackup);
  const group = { cache, onChange: (one: (change: Change) => void) => handlers.push(one) };
  const tell = (changed: KubernetesObject): void => {
    for (const handler of handlers) handler({ type: 'added', object: changed });
  };
  return { group: group as unknown as InformerGroup, cache, tell };
}

function setUp() {
  const [backups, restores, other] = [cacheOf(), cacheOf(), cacheOf().group];
  const queued: string[] = [];
  const clock = manualClock();
  const caches = { backups: backups.group, restores: restores.group };
  const others = { schedules: other, stores: other, pods: other };
  wireBackups(
    { ...caches, ...others } as unknown as Caches,
    { add: (key) => void queued.push(key) },
    clock,
  );
  return { backups, restores, queued, clock };
}

describe('wireBackups', () => {
  it('queues the restores that name a changed backup, and no others', () => {
    const { backups, restores, queued } = setUp();
    restores.cache.set(object('KarmadaRestore', 'r1', { backupRef: { name: 'b' } }));
    restores.cache.set(object('KarmadaRestore', 'r2', { backupRef: { name: 'c' } }));
    backups.tell(object('KarmadaBackup', 'b'));
    expect(queued).toEqual(['KarmadaBackup:team/b', 'KarmadaRestore:team/r1']);
  });

  it('queues thousands of restores at most once a second, although their backup changes all the time', async () => {
    const { backups, restores, queued, clock } = setUp();
    const count = 1_000;
    for (let index = 0; index < count; index += 1)
      restores.cache.set(object('KarmadaRestore', String(index), { backupRef: { name: 'b' } }));
    const changes = 100;
    for (let turn = 0; turn < changes; turn += 1) backups.tell(object('KarmadaBackup', 'b'));
    const restored = () => queued.filter((key) => key.startsWith('KarmadaRestore')).length;
    expect(restored()).toBe(count);
    await clock.advance(1_000);
    expect(restored()).toBe(2 * count);
    await clock.advance(10_000);
    expect([restored(), clock.pending()]).toEqual([2 * count, 0]);
  });
});
