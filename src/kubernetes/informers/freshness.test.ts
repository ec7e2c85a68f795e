import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog } from '../time/clock.fixture.ts';
import { NetworkError, toApiError } from '../client/errors.ts';
import { firstStale, freshnessOf, watchFailure, type WatchReport } from './freshness.ts';
import { CallGate, gated, type Reader } from '../client/call-gate.ts';
import { Informer } from './informer.ts';
import { resources } from '../objects/resources.ts';

const forbidden = toApiError('watch pods', { code: 403, body: status('Forbidden', 'may not') });
const cut = new NetworkError('watch pods', 'ECONNRESET', 'cut');

function status(reason: string, message: string): string {
  return JSON.stringify({ kind: 'Status', reason, message });
}

describe('freshnessOf', () => {
  const report: WatchReport = { resource: 'pods', since: 0, hasSynced: true, failure: undefined };
  const denied = watchFailure('watch', forbidden);
  const interrupted = watchFailure('watch', cut);

  it.each<[string, Partial<WatchReport>, number, object]>([
    ['fresh when data arrived in time', {}, 100, { state: 'fresh' }],
    ['fresh when calls fail within the deadline', { failure: denied }, 100, { state: 'fresh' }],
    ['reading when the first list is in progress', { hasSynced: false }, 100, { state: 'reading' }],
    [
      'silent when the watch had no data within the deadline',
      {},
      101,
      { state: 'silent', stale: expect.stringMatching(/^watch pods: no response/) },
    ],
    [
      'silent when the first list had no response within the deadline',
      { hasSynced: false },
      101,
      { state: 'silent', stale: expect.stringMatching(/^list pods: no response/) },
    ],
    [
      'failing and denied when the API server forbids the watch',
      { failure: denied },
      101,
      { state: 'failing', stale: 'watch pods: 403 Forbidden: may not', isDenied: true },
    ],
    [
      'failing when connections are closed',
      { failure: interrupted },
      101,
      { state: 'failing', stale: 'watch pods: cut', isDenied: false },
    ],
  ])('reports a cache as %s', (_, more, now, expected) => {
    expect(freshnessOf({ ...report, ...more }, now, 100)).toMatchObject(expected);
  });

  it('returns the same result at any time after the deadline', () => {
    const later = [101, 1_000, 1_000_000].map((now) =>
      freshnessOf({ ...report, failure: interrupted }, now, 100),
    );
    expect(new Set(later.map((found) => JSON.stringify(found))).size).toBe(1);
  });
});

describe('freshness of an informer', () => {
  const watchTimes = { watchSeconds: 60, deadlineMs: 150_000 };

  /** @param watch implements one watch; resolves when the watch ends */
  function setUp(watch: (call: number, opened: () => void) => Promise<void>) {
    const clock = manualClock();
    const gate = new CallGate(clock);
    let calls = 0;
    const client: Reader = {
      list: () => Promise.resolve({ resourceVersion: '1', items: [] }),
      async *watch(_, { onOpen = () => undefined }) {
        calls += 1;
        yield* await watch(calls, onOpen).then(() => []);
      },
    };
    const informer = new Informer({
      client: gated(client, gate),
      clock,
      watchTimes,
      type: resources.Pod,
      random: () => 0.5,
      log: memoryLog(),
    });
    informer.start();
    return { clock, gate, informer };
  }

  it('is fresh while the watch is renewed without events', async () => {
    const { clock, informer } = setUp(async (_, opened) => {
      opened();
      await new Promise<void>((resolve) => void clock.after(60_000, resolve));
    });
    await clock.advance(1_000_000);
    expect(informer.freshness).toEqual({ state: 'fresh', resource: 'pods' });
    expect(firstStale([informer])).toBeUndefined();
  });

  it('is stale after its watch was forbidden for too long, and fresh after it is allowed again', async () => {
    let isAllowed = false;
    const { clock, informer } = setUp((_, opened) => {
      if (!isAllowed) return Promise.reject(forbidden);
      opened();
      return new Promise(() => undefined);
    });
    await clock.advance(150_000);
    expect(informer.freshness.state).toBe('fresh');
    await clock.advance(1_000);
    expect(firstStale([informer])).toMatchObject({ state: 'failing', isDenied: true });
    isAllowed = true;
    await clock.advance(12_000);
    expect(informer.freshness.state).toBe('fresh');
    expect(informer.problem).toBeUndefined();
  });

  it('restarts the deadline when the gate opens', async () => {
    const { clock, gate, informer } = setUp(() => Promise.reject(cut));
    await clock.advance(10_000);
    gate.shut();
    await clock.advance(1_000_000);
    expect(informer.freshness.state).toBe('fresh');
    gate.open();
    await clock.advance(140_000);
    expect(informer.freshness.state).toBe('fresh');
    await clock.advance(20_000);
    expect(informer.freshness.state).toBe('failing');
  });
});
