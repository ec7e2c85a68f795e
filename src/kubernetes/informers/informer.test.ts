import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../client/any-client.fixture.ts';
import { manualClock, memoryLog } from '../time/clock.fixture.ts';
import type { ListPage, WatchOptions } from '../client/client-interface.ts';
import { NetworkError, toApiError } from '../client/errors.ts';
import type { Change } from './informer-options.ts';
import { Informer } from './informer.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { resources, type ResourceType } from '../objects/resources.ts';
import type { WatchEvent } from '../client/watch.ts';

type Watch = (options: WatchOptions) => AsyncGenerator<WatchEvent>;

function object(name: string, version: string): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, resourceVersion: version } };
}

function setUp(lists: () => ListPage, watch: Watch) {
  const clock = manualClock();
  const calls: string[] = [];
  const changes: Change[] = [];
  const log = memoryLog();
  const informer = new Informer({
    client: anyClient({
      list: async () => {
        calls.push('list');
        return Promise.resolve(lists());
      },
      watch: (_type: ResourceType, options: WatchOptions) => {
        calls.push(`watch ${options.resourceVersion}`);
        return watch(options);
      },
    }),
    type: resources.ConfigMap,
    clock,
    random: () => 0.5,
    log,
  });
  informer.onChange((change) => changes.push(change));
  informer.start();
  return { clock, calls, changes, informer, log };
}

const page = (version: string, ...items: KubernetesObject[]): ListPage => ({
  resourceVersion: version,
  items,
});

/** A watch that yields these events and then stays open until it is aborted. */
async function* open(options: WatchOptions, ...events: WatchEvent[]): AsyncGenerator<WatchEvent> {
  yield* events;
  await new Promise((_, reject) => {
    options.signal?.addEventListener('abort', () => reject(new Error('stopped')));
  });
}

const expired = (): Error => toApiError('watch', { code: 410, body: '' });

describe('Informer', () => {
  it.each<[string, Watch, number]>([
    [
      'each watch ends at once',
      async function* () {
        await Promise.resolve();
      },
      20,
    ],
    [
      'the resourceVersion is always expired',
      async function* () {
        await Promise.resolve();
        throw expired();
      },
      40,
    ],
    [
      'the server is unreachable',
      async function* () {
        await Promise.resolve();
        throw new NetworkError('watch', 'ECONNREFUSED', 'refused');
      },
      20,
    ],
  ])('backs off when %s', async (_name, watch, most) => {
    const { clock, calls, informer } = setUp(() => page('5'), watch);
    await clock.advance(120_000);
    expect(calls.length).toBeGreaterThan(8);
    expect(calls.length).toBeLessThan(most);
    const stopping = informer.stop();
    await clock.advance(10_000);
    await stopping;
    expect(clock.pending()).toBe(0);
  });

  it('resumes the watch at the last bookmark without a new list when the connection closes', async () => {
    let opened = 0;
    const { clock, calls, informer } = setUp(
      () => page('5', object('a', '4')),
      async function* (options) {
        opened += 1;
        if (opened > 1) return yield* open(options);
        yield { type: 'ADDED', object: object('b', '7') };
        yield { type: 'BOOKMARK', object: object('', '9') };
        throw new NetworkError('watch', 'UND_ERR_SOCKET', 'cut');
      },
    );
    await clock.advance(1_000);
    expect(calls).toEqual(['list', 'watch 5', 'watch 9']);
    expect(informer.cache.list().map((each) => each.metadata.name)).toEqual(['a', 'b']);
    expect(informer.problem).toContain('cut');
    expect(informer.freshness.state).toBe('fresh');
    await informer.stop();
  });

  it('warns of a watch without data only when the next one has none either', async () => {
    const silent = new NetworkError('watch', 'SILENT', 'no data on the watch for 75 s');
    const { clock, informer, log } = setUp(
      () => page('5'),
      async function* () {
        await new Promise<void>((resolve) => clock.after(75_000, resolve));
        throw silent;
      },
    );
    await clock.advance(75_000);
    expect(log.lines).toEqual([
      expect.stringMatching(
        /^debug no changes received, opening a new watch .*no data on the watch/,
      ),
    ]);
    await clock.advance(76_000);
    expect(log.lines.slice(1)).toEqual([
      expect.stringMatching(/^warn list or watch failed, will retry .*"failures":2/),
    ]);
    const stopping = informer.stop();
    await clock.advance(76_000);
    await stopping;
  });

  it('reports only differences after a relist, deletions first', async () => {
    const pages = [
      page('5', object('same', '1'), object('changed', '2'), object('gone', '3')),
      page('9', object('same', '1'), object('changed', '8'), object('new', '9')),
    ];
    let opened = 0;
    const { clock, changes, informer } = setUp(
      () => pages.shift() ?? page('9'),
      async function* (options) {
        opened += 1;
        await Promise.resolve();
        if (opened === 1) throw expired();
        yield* open(options);
      },
    );
    await clock.advance(100);
    expect(changes.map((change) => `${change.type} ${change.object.metadata.name}`)).toEqual([
      'added same',
      'added changed',
      'added gone',
      'deleted gone',
      'modified changed',
      'added new',
    ]);
    expect(changes[4]?.previous?.metadata.resourceVersion).toBe('2');
    await informer.stop();
  });

  it('is not synced before the first complete list', async () => {
    let broken = true;
    const { clock, informer } = setUp(
      () => {
        if (broken) throw new NetworkError('list', 'ECONNREFUSED', 'refused');
        return page('5');
      },
      (options) => open(options),
    );
    await clock.advance(30_000);
    expect(informer.hasSynced).toBe(false);
    broken = false;
    await clock.advance(11_000);
    expect(informer.hasSynced).toBe(true);
    expect(informer.problem).toBeUndefined();
    await informer.synced;
    await informer.stop();
  });
});
