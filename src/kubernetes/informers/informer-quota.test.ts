import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../client/any-client.fixture.ts';
import fc from 'fast-check';
import { CacheQuota } from './cache-quota/cache-quota.ts';
import type { QuotaLimits } from './cache-quota/quota-limits.ts';
import type { Reader } from '../client/call-gate.ts';
import type { ListOptions, Selection } from '../client/client-interface.ts';
import { manualClock, memoryLog, settle } from '../time/clock.fixture.ts';
import { toApiError } from '../client/errors.ts';
import { informerGroup, type InformerGroup } from './informer-group.ts';
import type { Change, Quota } from './informer-options.ts';
import { listAll } from '../client/list.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { resources } from '../objects/resources.ts';
import type { WatchEvent } from '../client/watch.ts';

/** API server with objects of one kind. Its lists are snapshots that arrive later, while watches go on. */
class FakeServer {
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #events: { readonly version: number; readonly event: WatchEvent }[] = [];
  readonly #wake = new Set<() => void>();
  readonly selectors: string[] = [];
  /** Number of lists. */
  lists = 0;
  /** Watches from an earlier version fail. */
  #expired = 0;
  #version = 1;

  put(namespace: string, name: string, size: number): void {
    const key = `${namespace}/${name}`;
    const uid = this.#objects.get(key)?.metadata.uid ?? `uid-${String(this.#version)}`;
    this.#version += 1;
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      content: 'x'.repeat(size),
      metadata: { namespace, name, uid, resourceVersion: String(this.#version) },
    };
    const type = this.#objects.has(key) ? 'MODIFIED' : 'ADDED';
    this.#objects.set(key, object);
    this.#tell({ type, object, size });
  }

  delete(namespace: string, name: string): void {
    const object = this.#objects.get(`${namespace}/${name}`);
    if (object === undefined) return;
    this.#objects.delete(`${namespace}/${name}`);
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    this.#tell({ type: 'DELETED', object: { ...object, metadata } });
  }

  /** Versions of the objects of a namespace by name. */
  content(namespace: string): Readonly<Record<string, string | undefined>> {
    return contentOf([...this.#objects.values()], namespace);
  }

  /** Ends all watches, and rejects new ones from the present version. */
  expire(): void {
    this.#version += 1;
    this.#expired = this.#version;
    for (const wake of this.#wake) wake();
    this.#wake.clear();
  }

  get all(): readonly KubernetesObject[] {
    return [...this.#objects.values()];
  }

  readonly reader: Reader = anyClient({
    list: async (_, options: ListOptions = {}) => {
      this.lists += 1;
      const found = [...this.#objects.values()].filter((object) => selects(options, object));
      const resourceVersion = String(this.#version);
      await settle();
      return listAll(() => Promise.resolve({ resourceVersion, items: found }), {
        request: 'list',
        limit: Infinity,
        ...(options.transform && { transform: options.transform }),
      });
    },
    watch: (_, options) => this.#watch(options),
  });

  async *#watch(
    options: Selection & { readonly resourceVersion: string; readonly signal?: AbortSignal },
  ): AsyncGenerator<WatchEvent> {
    this.selectors.push(options.fieldSelector ?? '');
    for (let seen = Number(options.resourceVersion); ;) {
      options.signal?.throwIfAborted();
      if (seen < this.#expired) throw toApiError('watch', { code: 410, body: '' });
      const next = this.#events.find(({ version }) => version > seen);
      if (next === undefined) await this.#more(options.signal);
      else {
        seen = next.version;
        if (selects(options, next.event.object)) yield next.event;
      }
    }
  }

  async #more(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake.add(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #tell(event: WatchEvent): void {
    this.#events.push({ version: this.#version, event });
    for (const wake of this.#wake) wake();
    this.#wake.clear();
  }
}

function selects({ namespace, fieldSelector = '' }: Selection, object: KubernetesObject): boolean {
  const own = object.metadata.namespace ?? '';
  if (namespace !== undefined && namespace !== own) return false;
  return !fieldSelector.split(',').includes(`metadata.namespace!=${own}`);
}

const contentOf = (
  objects: readonly KubernetesObject[],
  namespace: string,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    objects
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
  );

const NONE = { bytes: 0, objects: 0 };
const LIMITS: QuotaLimits = {
  cached: { bytes: 2_000, objects: 100, perKarmada: NONE },
  listed: { bytes: 10_000, objects: 100, perKarmada: NONE, all: 20_000, allObjects: 1_000 },
  watched: { bytes: 5_000, objects: 1_000, perKarmada: NONE, all: 10_000, windowMs: 60_000 },
};

function setUp(namespaces?: readonly string[], more: Omit<Quota, 'of'> = {}) {
  const clock = manualClock();
  const log = memoryLog();
  const server = new FakeServer();
  const common = { clock, log, random: () => 0.5 };
  const of = new CacheQuota({ ...common, limits: LIMITS });
  const changes: Change[] = [];
  const group: InformerGroup = informerGroup(
    { ...common, client: server.reader, type: resources.Secret, quota: { of, ...more } },
    namespaces,
  );
  group.onChange((change) => changes.push(change));
  const start = async (): Promise<void> => {
    of.start();
    for (const informer of group.informers) informer.start();
    await settle();
    await settle();
  };
  const stop = async (): Promise<void> => {
    of.close();
    await Promise.all(group.informers.map((informer) => informer.stop()));
  };
  const cached = (namespace: string) => contentOf(group.cache.list(), namespace);
  return { clock, log, server, of, group, changes, start, stop, cached };
}

type Step =
  | { do: 'put'; namespace: string; name: string; size: number }
  | { do: 'delete'; namespace: string; name: string }
  | { do: 'admit' | 'release'; namespace: string }
  | { do: 'wait'; ms: number };

function steps(): fc.Arbitrary<Step> {
  const namespace = fc.constantFrom('a', 'b', 'c');
  return fc.oneof(
    fc.record({
      do: fc.constant('put' as const),
      namespace,
      name: fc.constantFrom('x', 'y', 'z'),
      size: fc.constantFrom(1, 10, 1_500, 6_000),
    }),
    fc.record({
      do: fc.constant('delete' as const),
      namespace,
      name: fc.constantFrom('x', 'y', 'z'),
    }),
    fc.record({ do: fc.constantFrom('admit' as const, 'release' as const), namespace }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 0, 1_000, 70_000) }),
  );
}

/** Does a step other than a wait. @param admitted number of Karmada objects by namespace */
function act(
  one: Exclude<Step, { do: 'wait' }>,
  server: FakeServer,
  of: CacheQuota,
  admitted: Map<string, number>,
): void {
  const { namespace } = one;
  const count = admitted.get(namespace) ?? 0;
  if (one.do === 'put') server.put(namespace, one.name, one.size);
  else if (one.do === 'delete') server.delete(namespace, one.name);
  else if (one.do === 'admit') {
    of.admit(namespace);
    admitted.set(namespace, count + 1);
  } else if (count > 0) {
    admitted.set(namespace, count - 1);
    of.release(namespace);
  }
}

describe('Informer with a quota', () => {
  it.each<[string, (group: InformerGroup) => void]>([
    ['whose CRDs are not installed', () => undefined],
    [
      'which the operator may not list',
      ({ informers }) => {
        for (const informer of informers) informer.start();
      },
    ],
  ])('does not wait for the caches of a kind %s', async (_, startOther) => {
    const { of, clock, log, server, start, stop, cached } = setUp();
    const denied = toApiError('list', {
      code: 403,
      body: JSON.stringify({ kind: 'Status', reason: 'Forbidden' }),
    });
    const client: Reader = { ...server.reader, list: () => Promise.reject(denied) };
    const other = informerGroup(
      { clock, log, random: () => 0.5, client, type: resources.Pod, quota: { of, keepsAll: true } },
      undefined,
    );
    await start();
    startOther(other);
    await settle();
    server.put('team', 'a', 1);
    of.admit('team');
    await settle();
    await settle();
    expect([of.isComplete('team'), cached('team')]).toEqual([true, server.content('team')]);
    await Promise.all(other.informers.map((informer) => informer.stop()));
    await stop();
  });

  it('keeps only objects of namespaces with Karmada objects, and reads those of a new one', async () => {
    const { server, of, start, stop, cached } = setUp();
    of.admit('team');
    server.put('team', 'a', 1);
    server.put('other', 'b', 1);
    await start();
    server.put('other', 'c', 1);
    await settle();
    expect([cached('team'), cached('other')]).toEqual([server.content('team'), {}]);
    of.admit('other');
    server.delete('other', 'b');
    server.put('other', 'd', 1);
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect(cached('other')).toEqual(server.content('other'));
    of.release('other');
    expect(cached('other')).toEqual({});
    await stop();
  });

  it('drops a namespace that exceeds a limit, excludes it from the watch, and reads it again later', async () => {
    const { server, of, clock, start, stop, cached } = setUp();
    for (const namespace of ['greedy', 'modest']) of.admit(namespace);
    await start();
    for (const name of ['a', 'b', 'c']) server.put('greedy', name, 800);
    server.put('modest', 'a', 900);
    await settle();
    expect([of.dropped, cached('greedy')]).toEqual([['greedy'], {}]);
    await settle();
    expect(server.selectors.at(-1)).toBe('metadata.namespace!=greedy');
    server.delete('greedy', 'a');
    server.put('modest', 'b', 1);
    await settle();
    expect(cached('modest')).toEqual(server.content('modest'));
    await clock.advance(120_000);
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([of.dropped, cached('greedy')]).toEqual([[], server.content('greedy')]);
    expect(server.selectors.at(-1)).toBe('');
    await stop();
  });

  it('completes a list with a namespace whose objects are too many, without them', async () => {
    const { server, of, start, stop, cached, group } = setUp();
    for (const namespace of ['greedy', 'modest']) of.admit(namespace);
    for (let index = 0; index < 12; index += 1) server.put('greedy', String(index), 900);
    server.put('modest', 'a', 900);
    await start();
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect(group.informers.every(({ hasSynced }) => hasSynced)).toBe(true);
    expect([of.dropped, cached('modest')]).toEqual([['greedy'], server.content('modest')]);
    await stop();
  });

  it('stops to read a single watched namespace that exceeds a limit, and stays fresh', async () => {
    const { server, of, clock, start, stop, cached, group } = setUp(['greedy', 'modest']);
    for (const namespace of ['greedy', 'modest']) of.admit(namespace);
    await start();
    for (const name of ['a', 'b', 'c']) server.put('greedy', name, 800);
    server.put('modest', 'a', 1);
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([of.dropped, cached('greedy'), cached('modest')]).toEqual([
      ['greedy'],
      {},
      server.content('modest'),
    ]);
    expect(group.informers.map(({ freshness }) => freshness.state)).toEqual(['fresh', 'fresh']);
    server.delete('greedy', 'a');
    await clock.advance(120_000);
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([of.isComplete('greedy'), cached('greedy')]).toEqual([true, server.content('greedy')]);
    await stop();
  });

  it('keeps a remainder of objects that are left out, and reports those of Karmada objects', async () => {
    const remainder = ({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject => ({
      apiVersion,
      kind,
      metadata,
    });
    const { clock, server, of, start, stop, cached, group, changes } = setUp(undefined, {
      isAdmitting: true,
      keepsAll: true,
      remainder,
    });
    await start();
    for (const name of ['a', 'b', 'c']) server.put('greedy', name, 800);
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([of.dropped, Object.keys(cached('greedy'))]).toEqual([['greedy'], ['a', 'b', 'c']]);
    server.put('greedy', 'd', 1);
    expect(group.cache.list().filter((object) => 'content' in object)).toEqual([]);
    expect(changes.map(({ object }) => object.metadata.name)).toContain('c');
    server.delete('greedy', 'a');
    server.delete('greedy', 'b');
    await clock.advance(120_000);
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([of.dropped, cached('greedy')]).toEqual([[], server.content('greedy')]);
    await stop();
  });

  it('lists remainders of too many Karmada objects, and keeps them when it lists again without them', async () => {
    const remainder = ({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject => ({
      apiVersion,
      kind,
      metadata,
    });
    const keep = { isAdmitting: true, keepsAll: true, remainder };
    const { clock, server, of, start, stop, cached, changes, group } = setUp(undefined, keep);
    const names = Array.from({ length: 12 }, (_, index) => `n${String(index)}`);
    for (const name of names) server.put('greedy', name, 900);
    server.put('modest', 'a', 1);
    await start();
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([of.dropped, Object.keys(cached('greedy')).length]).toEqual([['greedy'], 12]);
    expect(group.cache.list().filter((object) => 'content' in object)).toHaveLength(1);
    expect(changes.filter(({ type }) => type === 'added')).toHaveLength(13);
    server.expire();
    for (let turn = 0; turn < 3; turn += 1) await clock.advance(15_000);
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([server.lists, Object.keys(cached('greedy')).length]).toEqual([2, 12]);
    expect(changes.filter(({ type }) => type === 'deleted')).toEqual([]);
    await stop();
  });

  it('resolves its promises when its only namespace exceeds a limit from the start', async () => {
    const { server, of, start, stop, group, clock, cached } = setUp(['greedy']);
    of.admit('greedy');
    for (const name of ['a', 'b', 'c']) server.put('greedy', name, 800);
    await start();
    for (let turn = 0; turn < 5; turn += 1) await settle();
    await Promise.all(group.informers.map(({ synced }) => synced));
    expect([of.dropped, group.hasSyncedIn('greedy'), cached('greedy')]).toEqual([
      ['greedy'],
      false,
      {},
    ]);
    server.delete('greedy', 'a');
    await clock.advance(120_000);
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([of.isComplete('greedy'), cached('greedy')]).toEqual([true, server.content('greedy')]);
    await stop();
  });

  it('contains exactly the objects of complete namespaces after arbitrary changes, drops and races', async () => {
    const kinds = fc.constantFrom<readonly string[] | undefined>(undefined, ['a', 'b', 'c']);
    await fc.assert(
      fc.asyncProperty(fc.array(steps(), { maxLength: 25 }), kinds, async (all, namespaces) => {
        const { server, of, clock, start, stop, cached, log, group } = setUp(namespaces);
        const admitted = new Map([['a', 1]]);
        const isIn = (name: string): boolean => (admitted.get(name) ?? 0) > 0;
        const checkOne = (name: string): void => {
          expect([name, group.isCompleteIn(name)]).toEqual([name, of.isComplete(name)]);
          if (of.isComplete(name)) expect(cached(name)).toEqual(server.content(name));
          else if (!isIn(name) || of.isDropped(name)) expect(cached(name)).toEqual({});
        };
        const check = (): void => ['a', 'b', 'c'].forEach(checkOne);
        of.admit('a');
        await start();
        for (const one of all)
          if (one.do === 'wait') {
            await clock.advance(one.ms);
            for (let turn = 0; turn < 6; turn += 1) await settle();
            check();
          } else act(one, server, of, admitted);
        for (const { metadata } of server.all)
          server.put(metadata.namespace ?? '', metadata.name, 1);
        for (let turn = 0; turn < 4; turn += 1) await clock.advance(2_000_000);
        for (let turn = 0; turn < 6; turn += 1) await settle();
        check();
        for (const name of ['a', 'b', 'c'])
          expect([name, of.isComplete(name), log.lines.slice(-3)]).toEqual([
            name,
            isIn(name),
            log.lines.slice(-3),
          ]);
        await stop();
      }),
      { numRuns: 60 },
    );
  });
});
