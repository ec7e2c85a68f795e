import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { manualClock, memoryLog, settle } from '../../kubernetes/time/clock.fixture.ts';
import type { KubernetesClient, ListPage } from '../../kubernetes/client/client-interface.ts';
import { NetworkError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { ComparedControlPlane } from '../../member-clusters/difference/compare-clusters.ts';
import { MemberComparisons } from './member-comparisons.ts';

const RESTORE = 'KarmadaRestore:ns/back';

const cluster = (name: string): KubernetesObject => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name },
  spec: { syncMode: name === 'pulled' ? 'Pull' : 'Push' },
});

const WORK: KubernetesObject = {
  apiVersion: 'work.karmada.io/v1alpha1',
  kind: 'Work',
  metadata: { name: 'w' },
  spec: {
    workload: {
      manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'd' } }],
    },
  },
};

const page = (...items: KubernetesObject[]): Promise<ListPage> =>
  Promise.resolve({ resourceVersion: '1', items });

const CORE = {
  resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs: ['get', 'list'] }],
};

/** A member cluster without objects; `pulled` does not respond. */
const member = (name: string): KubernetesClient =>
  ({
    listPage: () => page(),
    find: () => Promise.resolve(undefined),
    raw: (path: string) =>
      name === 'pulled'
        ? Promise.reject(
            new NetworkError('get /apis', 'ECONNREFUSED', `no route${'!'.repeat(999)}`),
          )
        : Promise.resolve({ status: 200, body: JSON.stringify(path === '/apis' ? {} : CORE) }),
    close: () => Promise.resolve(),
  }) as Partial<KubernetesClient> as KubernetesClient;

/** Like the client of a control plane, its methods need their object. */
class Plane implements ComparedControlPlane {
  readonly client: ComparedControlPlane['client'];
  readonly #member = member;

  constructor(names: readonly string[]) {
    const list = (): Promise<ListPage> => page(...names.map(cluster));
    this.client = anyClient({ list, listPage: () => page(WORK) });
  }

  member(name: string): KubernetesClient {
    return this.#member(name);
  }
}

const planeWith = (...names: string[]): ComparedControlPlane => new Plane(names);

const MAX_MS = 120_000;

/** Runs comparisons, whose timers the test starts. */
function scene(find: () => ComparedControlPlane | undefined) {
  const timers: { readonly ms: number; readonly run: () => void }[] = [];
  const after = (ms: number, run: () => void): (() => void) => {
    if (ms !== MAX_MS) timers.push({ ms, run });
    return () => undefined;
  };
  const logged: unknown[] = [];
  const log = { ...memoryLog(), warn: (fields: object) => void logged.push(fields) };
  const comparisons = new MemberComparisons({ clock: { ...manualClock(), after }, log }, find);
  const settled = async (): Promise<void> => {
    const before = timers.length;
    while (timers.length === before) await new Promise((resolve) => setImmediate(resolve));
  };
  return { comparisons, timers, settled, logged };
}

/** Runs comparisons of control planes. The member clusters of those in other namespaces than `team` respond only when a call is aborted. */
function crowdedScene() {
  const clock = manualClock();
  const calls = { now: 0, begun: 0 };
  const raw: KubernetesClient['raw'] = async (_, { signal } = {}) => {
    calls.now += 1;
    calls.begun += 1;
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    calls.now -= 1;
    throw new NetworkError('get /apis', 'ABORTED', 'aborted');
  };
  const log = memoryLog();
  const comparisons = new MemberComparisons({ clock, log }, (karmada) => {
    const plane = planeWith('paris');
    if (karmada.startsWith('team/')) return plane;
    return { client: plane.client, member: (name) => ({ ...member(name), raw }) };
  });
  const start = (karmada: string) => comparisons.of(`KarmadaRestore:${karmada}`, karmada);
  return { clock, calls, comparisons, start, log };
}

describe('MemberComparisons', () => {
  it('returns the counts of each member cluster, after a comparison in the background', async () => {
    const { comparisons, timers, settled } = scene(() => planeWith('pulled', 'paris'));
    expect(comparisons.of(RESTORE, 'ns/demo')).toBeUndefined();
    await settled();
    expect(comparisons.of(RESTORE, 'ns/demo')).toEqual({
      total: 2,
      clusters: [
        {
          name: 'paris',
          syncMode: 'Push',
          create: 1,
          change: 0,
          delete: 0,
          orphaned: 0,
          blocked: 0,
          equal: 0,
        },
        { name: 'pulled', syncMode: 'Pull', problem: expect.stringMatching(/no route/) },
      ],
    });
    expect(comparisons.of(RESTORE, 'ns/demo')?.clusters[1]?.problem).toHaveLength(300);
    expect(timers.map(({ ms }) => ms)).toEqual([60_000]);
  });

  it('names at most 20 member clusters, and counts all', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `member-${String(index)}`);
    const { comparisons, timers, settled } = scene(() => planeWith(...names));
    comparisons.of(RESTORE, 'ns/demo');
    await settled();
    const { total, clusters } = comparisons.of(RESTORE, 'ns/demo') ?? {};
    expect([total, clusters?.length]).toEqual([25, 20]);
    expect(timers.map(({ ms }) => ms)).toEqual([300_000]);
  });

  it('tries again soon while the control plane is not connected, and keeps the last result', async () => {
    let plane: ComparedControlPlane | undefined;
    const { comparisons, timers, settled } = scene(() => plane);
    comparisons.of(RESTORE, 'ns/demo');
    await settled();
    expect(timers.map(({ ms }) => ms)).toEqual([15_000]);
    plane = planeWith('paris');
    timers[0]?.run();
    await settled();
    plane = undefined;
    timers[1]?.run();
    await settled();
    expect(comparisons.of(RESTORE, 'ns/demo')?.total).toBe(1);
  });

  it('logs an error, and tries again', async () => {
    const plane = planeWith('paris');
    const list = (): Promise<ListPage> => Promise.reject(new Error('no response'));
    const broken = { client: anyClient({ ...plane.client, list }), member };
    const { comparisons, timers, settled, logged } = scene(() => broken);
    comparisons.of(RESTORE, 'ns/demo');
    await settled();
    expect(logged).toEqual([{ karmada: 'ns/demo', error: 'no response' }]);
    expect(timers.map(({ ms }) => ms)).toEqual([15_000]);
  });

  it('forgets the result with the restore', async () => {
    const { comparisons, settled } = scene(() => planeWith('paris'));
    comparisons.of(RESTORE, 'ns/demo');
    await settled();
    comparisons.forget(RESTORE);
    expect(comparisons.of(RESTORE, 'ns/demo')).toBeUndefined();
    comparisons.close();
  });

  describe('with many restores', () => {
    const keysOf = (namespace: string, count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `${namespace}/${String(index)}`);

    it('compares one member cluster of a namespace at once, and those of another one without delay', async () => {
      const { calls, start } = crowdedScene();
      for (const key of keysOf('crowd', 100)) start(key);
      await settle();
      expect(calls.now).toBe(1);
      start('team/demo');
      await settle();
      expect(start('team/demo')).toMatchObject({ total: 1, clusters: [{ name: 'paris' }] });
      expect(calls).toEqual({ now: 1, begun: 1 });
    });

    it('compares three member clusters at once, and ends a turn after two minutes', async () => {
      const { clock, calls, start } = crowdedScene();
      const crowd = ['a', 'b', 'c', 'd'].flatMap((namespace) => keysOf(namespace, 10));
      for (const key of crowd) start(key);
      await settle();
      start('team/demo');
      await clock.advance(MAX_MS - 1);
      expect([calls, start('team/demo')]).toEqual([{ now: 3, begun: 3 }, undefined]);
      await clock.advance(1);
      // One turn reads the member clusters, and another one compares the first.
      await clock.advance(MAX_MS);
      expect(start('team/demo')?.clusters).toMatchObject([{ create: 1 }]);
      expect(start('a/0')?.clusters).toMatchObject([
        { problem: expect.stringMatching(/^not compared within 120 s; .*"propagation"/) },
      ]);
      expect(calls.now).toBe(3);
    });

    it('gives the turn of a forgotten restore to another one', async () => {
      const { calls, comparisons, start, log } = crowdedScene();
      const keys = keysOf('crowd', 10);
      for (const key of keys) start(key);
      await settle();
      for (const key of keys.slice(0, 8)) comparisons.forget(`KarmadaRestore:${key}`);
      await settle();
      expect(calls).toEqual({ now: 1, begun: 2 });
      comparisons.close();
      await settle();
      expect([calls, log.lines]).toEqual([{ now: 0, begun: 2 }, []]);
    });
  });
});
