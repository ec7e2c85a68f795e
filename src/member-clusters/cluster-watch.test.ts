import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../kubernetes/time/clock.fixture.ts';
import type {
  KubernetesClient,
  ListOptions,
  WatchOptions,
} from '../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { ResourceType } from '../kubernetes/objects/resources.ts';
import type { WatchEvent } from '../kubernetes/client/watch.ts';
import { ClusterWatch } from './cluster-watch.ts';

function cluster(name: string, namespace: string, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name, uid: name, resourceVersion: namespace, ...metadata },
    spec: { syncMode: 'Push', apiEndpoint: 'https://m', secretRef: { namespace, name } },
  };
}

/** An API server that records the namespaces of the watched Secrets. */
async function setUp(...items: readonly KubernetesObject[]) {
  const clock = manualClock();
  const broken: { error?: Error } = {};
  const watched = new Set<string>();
  const events: ((event: WatchEvent) => void)[] = [];
  const client = {
    list: ({ kind }: ResourceType, { namespace = '' }: ListOptions = {}) => {
      const secret = { apiVersion: 'v1', kind, metadata: { name: 'm1', namespace, uid: 's' } };
      if (broken.error !== undefined) return Promise.reject(broken.error);
      return Promise.resolve({
        resourceVersion: '1',
        items: kind === 'Cluster' ? items : [secret],
      });
    },
    watch: async function* ({ kind }: ResourceType, { namespace = '', signal }: WatchOptions) {
      const ended = new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('stopped'))),
      );
      if (kind === 'Secret') watched.add(namespace);
      try {
        for (;;) {
          const next = new Promise<WatchEvent>(
            (resolve) => kind === 'Cluster' && events.push(resolve),
          );
          yield await Promise.race([next, ended]);
        }
      } finally {
        watched.delete(namespace);
      }
    },
  };
  const state = { changes: 0 };
  const open = (): ClusterWatch =>
    new ClusterWatch({
      client: client as object as KubernetesClient,
      clock,
      random: () => 0.5,
      log: memoryLog(),
      onChange: () => (state.changes += 1),
    });
  const clusters = open();
  await settle();
  /** Sends an event of a Cluster. @returns the namespaces whose Secrets are watched afterwards */
  const send = async (type: WatchEvent['type'], object: KubernetesObject): Promise<string[]> => {
    events.shift()?.({ type, object });
    await settle();
    return [...watched].sort();
  };
  return { clusters, state, watched, send, open, broken, clock };
}

describe('ClusterWatch', () => {
  it('watches the Secrets of each namespace with credentials once', async () => {
    const { clusters, watched } = await setUp(
      cluster('m1', 'one'),
      cluster('m2', 'one'),
      cluster('m3', 'two'),
    );
    expect([...watched].sort()).toEqual(['one', 'two']);
    expect(clusters.hasSynced).toBe(true);
    expect(clusters.versionOf({ namespace: 'one', name: 'm1' })).toBe('s/');
    await clusters.close();
    expect([...watched]).toEqual([]);
  });

  it('knows for a second that the first list has succeeded', async () => {
    const { open, clock } = await setUp();
    const clusters = open();
    const { firstList } = clusters;
    expect(await firstList).toBe(true);
    await clock.advance(1_000);
    expect(clusters.firstList).toBe(firstList);
    await clock.advance(1);
    expect(clusters.firstList).toBeUndefined();
    await clusters.close();
  });

  it('knows that the first list has failed until it has ended', async () => {
    const { open, broken } = await setUp();
    broken.error = new Error('unavailable');
    const clusters = open();
    expect(await clusters.firstList).toBe(false);
    expect(clusters.firstList).toBeUndefined();
    await clusters.close();
  });

  it('watches the Secrets of at most 16 namespaces', async () => {
    const many = Array.from({ length: 40 }, (_, index) => cluster(`m${index}`, `n${index}`));
    const { clusters, watched } = await setUp(...many);
    expect([watched.size, clusters.hasSynced]).toEqual([16, true]);
    expect(clusters.clusters()).toHaveLength(40);
    await clusters.close();
  });

  it('reports each change of readiness, and no heartbeat', async () => {
    const { clusters, state, send } = await setUp(cluster('m1', 'one'));
    const withReady = (status: string, message: string): KubernetesObject => ({
      ...cluster('m1', 'one', { resourceVersion: message }),
      status: { conditions: [{ type: 'Ready', status, message }] },
    });
    const changes: number[] = [];
    for (const [status, message] of [
      ['True', 'a'],
      ['True', 'b'],
      ['False', 'c'],
    ] as const) {
      const before = state.changes;
      await send('MODIFIED', withReady(status, message));
      changes.push(state.changes - before);
    }
    expect(changes).toEqual([1, 0, 1]);
    await clusters.close();
  });

  it('stops watching the Secrets of a namespace when its last Cluster is deleted', async () => {
    const [first, second, third] = [
      cluster('m1', 'one'),
      cluster('m2', 'one'),
      cluster('m3', 'two'),
    ];
    const { clusters, state, send } = await setUp(first, second, third);
    expect(await send('DELETED', first)).toEqual(['one', 'two']);
    const before = state.changes;
    expect(await send('DELETED', second)).toEqual(['two']);
    expect(state.changes).toBe(before + 1);
    expect(clusters.sources).toHaveLength(2);
    expect(clusters.versionOf({ namespace: 'one', name: 'm1' })).toBe('/');
    await clusters.close();
  });

  it.each<[string, KubernetesObject, readonly string[]]>([
    ['uses a Secret in another namespace', cluster('m1', 'two'), ['two']],
    [
      'is terminating',
      cluster('m1', 'one', { resourceVersion: '2', deletionTimestamp: '2026-01-01T00:00:00Z' }),
      [],
    ],
  ])('stops watching a namespace when its only Cluster %s', async (_, changed, expected) => {
    const { clusters, send } = await setUp(cluster('m1', 'one'));
    expect(await send('MODIFIED', changed)).toEqual(expected);
    await clusters.close();
  });

  it('watches a namespace again when a Cluster returns', async () => {
    const { clusters, send } = await setUp(cluster('m1', 'one'));
    expect(await send('DELETED', cluster('m1', 'one'))).toEqual([]);
    expect(await send('ADDED', cluster('m1', 'one'))).toEqual(['one']);
    await clusters.close();
  });
});
