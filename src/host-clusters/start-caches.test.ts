import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../kubernetes/time/clock.fixture.ts';
import type { ManagementCluster } from './host.ts';
import { cachesSynced, isFilled } from './start-caches.ts';

type State = 'synced' | 'denied' | 'reading';

/** A cache in this state, which only the fields say that these functions read. */
function cacheIn(state: State) {
  const never = new Promise<void>(() => undefined);
  const done = Promise.resolve();
  return {
    synced: state === 'synced' ? done : never,
    settled: state === 'reading' ? never : done,
    hasSynced: state === 'synced',
    problem: state === 'denied' ? 'list networkpolicies: 403 Forbidden: no' : undefined,
  };
}

const hostWith = (needed: State, optional: State, more: object = {}): ManagementCluster =>
  ({
    informers: [cacheIn(needed)],
    optional: [cacheIn(optional)],
    ...more,
  }) as unknown as ManagementCluster;

const SCOPE = { scope: { namespaces: ['team'], without: [] } };

describe('cachesSynced', () => {
  const isDone = async (host: ManagementCluster, afterMs = 0): Promise<boolean> => {
    const clock = manualClock();
    let done = false;
    void cachesSynced(host, clock).then(() => (done = true));
    await settle();
    await clock.advance(afterMs);
    await settle();
    return done;
  };

  it.each<[string, ManagementCluster, number, boolean]>([
    ['resolves when all have synced', hostWith('synced', 'synced'), 0, true],
    ['resolves when an optional one is denied', hostWith('synced', 'denied'), 0, true],
    ['waits for an optional one', hostWith('synced', 'reading'), 4_000, false],
    ['waits no longer than 5 s for an optional one', hostWith('synced', 'reading'), 5_001, true],
    ['waits for a needed one that is denied', hostWith('denied', 'synced'), 60_000, false],
    ['does not wait for a denied namespace', hostWith('denied', 'synced', SCOPE), 0, true],
  ])('%s', async (_, host, afterMs, expected) => {
    expect(await isDone(host, afterMs)).toBe(expected);
  });
});

describe('isFilled', () => {
  it.each<[State, State, boolean]>([
    ['synced', 'synced', true],
    ['synced', 'denied', true],
    ['synced', 'reading', false],
    ['denied', 'synced', false],
  ])('with a needed cache %s and an optional one %s returns %s', (needed, optional, expected) => {
    expect(isFilled(hostWith(needed, optional))).toBe(expected);
  });
});
