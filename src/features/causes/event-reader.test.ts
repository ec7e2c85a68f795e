import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { manualClock, memoryLog, settle } from '../../kubernetes/time/clock.fixture.ts';
import type {
  ListOptions,
  ListPage,
  PageOptions,
} from '../../kubernetes/client/client-interface.ts';
import { ApiError, NetworkError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { EventReader, type EventSource } from './event-reader.ts';

const eventOf = (uid: string, note: string, count = 1): KubernetesObject =>
  ({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e' },
    reason: 'FailedMount',
    note,
    regarding: { uid },
    deprecatedCount: count,
  }) as unknown as KubernetesObject;

function setUp() {
  const clock = manualClock();
  const asked: ListOptions[] = [];
  const changed: string[] = [];
  const environment: { events: KubernetesObject[]; error?: Error } = { events: [] };
  const listPage = (_: unknown, options: PageOptions = {}): Promise<ListPage> => {
    asked.push(options);
    if (environment.error) return Promise.reject(environment.error);
    return Promise.resolve({ resourceVersion: '1', items: environment.events });
  };
  const onChange = (key: string): void => void changed.push(key);
  const reader = new EventReader({ clock, random: () => 0.5, log: memoryLog(), onChange });
  /** @param objects `uid` or `uid state` */
  const observe = (...objects: string[]): void => {
    const targets = objects.map((object) => {
      const [uid = '', state = ''] = object.split(' ');
      return { uid, state };
    });
    reader.observe('team/demo', {
      client: anyClient({ listPage }),
      namespace: 'team',
      targets,
    } satisfies EventSource);
  };
  const after = async (ms: number): Promise<number> => {
    asked.length = 0;
    await clock.advance(ms);
    await settle();
    return asked.length;
  };
  const objectsRead = (): readonly string[] =>
    asked.map(({ fieldSelector = '' }) => fieldSelector.replace('regarding.uid=', ''));
  /** Objects that are read in this time. */
  const readAfter = async (ms: number): Promise<readonly string[]> => {
    await after(ms);
    return objectsRead();
  };
  return { reader, observe, after, readAfter, objectsRead, asked, changed, environment };
}

/** Time after which the first read of an object has occurred. */
const GRACE_MS = 7_000;

describe('EventReader', () => {
  it('reads the Events of each object with bounds, and requests a reconcile', async () => {
    const { reader, observe, after, asked, changed, environment } = setUp();
    environment.events = [eventOf('a', 'x'), eventOf('foreign', 'y')];
    observe('a', 'b');
    await after(GRACE_MS);
    expect(asked).toMatchObject([
      { namespace: 'team', fieldSelector: 'regarding.uid=a', limit: 40, maxBytes: 1_048_576 },
      { fieldSelector: 'regarding.uid=b' },
    ]);
    expect(reader.of('team/demo').events.map(({ note }) => note)).toEqual(['x']);
    expect(changed).toEqual(['team/demo']);
  });

  it('reads nothing when all objects are ready', async () => {
    const { reader, observe, after } = setUp();
    observe();
    expect(await after(600_000)).toBe(0);
    observe('a');
    observe();
    expect(await after(600_000)).toBe(0);
    expect(reader.of('team/demo')).toEqual({ events: [], isAllowed: true });
  });

  it('reads nothing of objects that become ready soon', async () => {
    const { observe, after, readAfter } = setUp();
    for (let second = 0; second < 60; second += 1) {
      // Each of them is not ready for four seconds.
      observe(...[0, 1, 2, 3].map((age) => `object-${String(second - age)} state-${String(age)}`));
      expect(await after(1_000)).toBe(0);
    }
    observe('late');
    expect(await readAfter(GRACE_MS)).toEqual(['late']);
  });

  it('reads an object with another state at once, and only this one', async () => {
    const { reader, observe, readAfter, objectsRead, asked, environment } = setUp();
    environment.events = [eventOf('a', 'x'), eventOf('b', 'x')];
    observe('a', 'b');
    expect(await readAfter(GRACE_MS)).toEqual(['a', 'b']);
    environment.events = [eventOf('a', 'y'), eventOf('b', 'y')];
    asked.length = 0;
    observe('a', 'b Running');
    await settle();
    expect(objectsRead()).toEqual(['b']);
    expect(reader.of('team/demo').events.map(({ uid, note }) => [uid, note])).toEqual([
      ['a', 'x'],
      ['b', 'y'],
    ]);
    observe('a', 'b Running', 'c');
    expect(await readAfter(2_000)).toEqual([]);
    expect(await readAfter(6_000)).toContain('c');
    observe('a', 'c');
    await readAfter(20_000);
    expect(reader.of('team/demo').events.map(({ uid }) => uid)).toEqual(['a']);
  });

  it('reads more rarely while nothing changes, and reports no repetition as a change', async () => {
    const { observe, after, changed, environment } = setUp();
    environment.events = [eventOf('a', 'x', 2)];
    observe('a');
    await settle();
    let reads = 0;
    for (let seconds = 0; seconds < 600; seconds += 1) {
      environment.events = [eventOf('a', 'x', seconds + 3)];
      reads += await after(1_000);
    }
    expect(reads).toBeGreaterThan(25);
    expect(reads).toBeLessThan(50);
    expect(changed).toHaveLength(1);
    expect(await after(600_000)).toBeLessThanOrEqual(10);
  });

  it('keeps the last Events of an object that has many', async () => {
    const { reader, observe, after, environment } = setUp();
    const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
    environment.events = Array.from({ length: 40 }, (_, minute) => ({
      ...eventOf('a', at(minute)),
      deprecatedLastTimestamp: at(minute),
    }));
    observe('a');
    await after(GRACE_MS);
    const notes = reader.of('team/demo').events.map(({ note }) => note);
    expect([notes.length, notes[0], notes.at(-1)]).toEqual([10, at(39), at(30)]);
  });

  it('keeps the last result when a read fails, and tells that it is forbidden', async () => {
    const { reader, observe, after, environment } = setUp();
    environment.events = [eventOf('a', 'x')];
    observe('a');
    await after(GRACE_MS);
    environment.error = new NetworkError('list events', 'ECONNREFUSED', 'refused');
    await after(60_000);
    expect(reader.of('team/demo').events).toHaveLength(1);
    const failure = { request: 'list events', reason: 'Forbidden', message: 'no' };
    environment.error = new ApiError({ ...failure, code: 403 });
    await after(60_000);
    expect(reader.of('team/demo')).toEqual({ events: [], isAllowed: false });
  });
});
