import { describe, expect, it } from '@jest/globals';
import { memoryLog } from '../../../kubernetes/clock.fixture.ts';
import type { KubernetesClient, ListPage } from '../../../kubernetes/client-interface.ts';
import { NetworkError } from '../../../kubernetes/errors.ts';
import type { KubernetesObject } from '../../../kubernetes/object.ts';
import type { ComparedControlPlane } from '../../../member-clusters/difference/compare-clusters.ts';
import { MemberComparisons } from './member-comparisons.ts';

const RESTORE = 'KarmadaRestore:ns/back';

const cluster = (name: string): KubernetesObject => ({
  ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name } },
  spec: { syncMode: name === 'pulled' ? 'Pull' : 'Push' },
});

const WORK: KubernetesObject = {
  ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', metadata: { name: 'w' } },
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
    this.client = { list: () => page(...names.map(cluster)), listPage: () => page(WORK) };
  }

  member(name: string): KubernetesClient {
    return this.#member(name);
  }
}

const planeWith = (...names: string[]): ComparedControlPlane => new Plane(names);

/** Runs comparisons, whose timers the test starts. */
function scene(find: () => ComparedControlPlane | undefined) {
  const timers: { readonly ms: number; readonly run: () => void }[] = [];
  const after = (ms: number, run: () => void): (() => void) => {
    timers.push({ ms, run });
    return () => undefined;
  };
  const logged: unknown[] = [];
  const log = { ...memoryLog(), warn: (fields: object) => void logged.push(fields) };
  const comparisons = new MemberComparisons({ clock: { after }, log }, find);
  const settled = async (): Promise<void> => {
    const before = timers.length;
    while (timers.length === before) await new Promise((resolve) => setImmediate(resolve));
  };
  return { comparisons, timers, settled, logged };
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
          ...{ name: 'paris', syncMode: 'Push', create: 1, change: 0, delete: 0 },
          ...{ orphaned: 0, blocked: 0, equal: 0 },
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
    const broken = { client: { ...plane.client, list }, member };
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
});
