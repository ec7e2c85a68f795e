import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../time/clock.fixture.ts';
import { ApiError } from '../client/errors.ts';
import { WorkQueue } from './queue.ts';
import { runWorkers, type Reconcile, type ReconcileResult } from './worker.ts';

function setUp(reconcile: Reconcile, concurrency = 2) {
  const clock = manualClock();
  const of = (key: string) => ({ group: '', tenant: key.split(':')[1] ?? '' });
  const max = { tenant: 100, group: 100, host: 100, total: 100 };
  const shares = { of, width: concurrency, total: 100, slowAfterMs: 500, max };
  const queue = new WorkQueue({ clock, random: () => 0.5, shares });
  const stop = new AbortController();
  const log = memoryLog();
  const running = runWorkers({ queue, reconcile, signal: stop.signal, log });
  return { clock, queue, stop, log, running };
}

describe('runWorkers', () => {
  it('reconciles other keys while one key is slow', async () => {
    const done: string[] = [];
    let free: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (free = resolve));
    const { queue, running } = setUp(async (key) => {
      if (key === 'slow') await slow;
      done.push(key);
      return {};
    });
    for (const key of ['slow', 'a', 'b', 'c']) queue.add(key);
    await settle();
    expect(done).toEqual(['a', 'b', 'c']);
    free();
    await settle();
    expect(done).toEqual(['a', 'b', 'c', 'slow']);
    await queue.shutDown();
    await running;
  });

  it('delays only keys of the same group when reconciles hang', async () => {
    const done: string[] = [];
    const never = new Promise<void>(() => undefined);
    const { queue } = setUp(async (key) => {
      if (key.startsWith('dead')) await never;
      done.push(key);
      return {};
    });
    for (const key of ['dead-1:b', 'dead-2:b', 'dead-3:b', 'well:b', 'one', 'two', 'three:c'])
      queue.add(key);
    await settle();
    expect(done.toSorted()).toEqual(['one', 'three:c', 'two']);
    expect(queue.length).toBe(2);
  });

  it('starts at most one reconcile in a turn of the event loop, so that timers and connections get their turns', async () => {
    const turns: number[] = [];
    let turn = 0;
    const { queue } = setUp(() => {
      turns.push(turn);
      return Promise.resolve({});
    });
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    for (; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toHaveLength(4);
    expect(new Set(turns).size).toBe(4);
  });

  it('logs stack frames for a runtime error, and none for other errors', async () => {
    const refused = new Error('refused');
    const outcomes: Readonly<Record<string, Promise<ReconcileResult>>> = {
      fault: Promise.reject(new TypeError('not a function')),
      refused: Promise.reject(refused),
    };
    const { queue, log } = setUp((key) => outcomes[key] ?? Promise.resolve({}), 3);
    for (const key of Object.keys(outcomes)) queue.add(key);
    await settle();
    expect(log.lines.toSorted()).toEqual([
      expect.stringMatching(/^error reconcile failed .*not a function.*"at":\["at /),
      expect.stringMatching(/^warn reconcile failed (?!.*"at":).*"refused"/),
    ]);
  });

  it('reconciles a key again after requeueAfterMs', async () => {
    let runs = 0;
    const { queue, clock, running } = setUp(() => {
      runs += 1;
      return Promise.resolve(runs === 1 ? { requeueAfterMs: 5_000 } : {});
    });
    queue.add('a');
    await clock.advance(4_999);
    expect(runs).toBe(1);
    await clock.advance(1);
    expect(runs).toBe(2);
    await queue.shutDown();
    await running;
  });

  it('logs errors, retries a failing key with backoff, and resets the backoff after a success', async () => {
    const at: number[] = [];
    const { queue, clock, log, running } = setUp(() => {
      at.push(clock.monotonic());
      return at.length <= 3 ? Promise.reject(new Error('broken pipe')) : Promise.resolve({});
    });
    queue.add('team/demo');
    await clock.advance(10_000);
    expect(at).toEqual([0, 100, 300, 700]);
    expect(log.lines[0]).toContain('broken pipe');
    expect(log.lines[0]).toContain('team/demo');
    expect(log.lines).toHaveLength(3);
    expect(queue.failures('team/demo')).toBe(0);
    await queue.shutDown();
    await running;
  });

  it('waits for Retry-After when the server requests a pause', async () => {
    const at: number[] = [];
    const refusal = {
      request: 'x',
      code: 429,
      reason: 'TooManyRequests',
      message: '',
      retryAfterSeconds: 30,
    };
    const { queue, clock, running } = setUp(() => {
      at.push(clock.monotonic());
      return at.length === 1 ? Promise.reject(new ApiError(refusal)) : Promise.resolve({});
    });
    queue.add('a');
    await clock.advance(31_000);
    expect(at).toEqual([0, 30_000]);
    await queue.shutDown();
    await running;
  });

  it('starts and retries no reconcile after an abort', async () => {
    const seen: string[] = [];
    const { queue, stop, clock, log, running } = setUp(async (key, signal) => {
      seen.push(key);
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('lost'))),
      );
      return {};
    }, 1);
    queue.add('a');
    queue.add('b');
    await settle();
    stop.abort();
    await clock.advance(60_000);
    expect(seen).toEqual(['a']);
    expect(log.lines).toEqual([]);
    await queue.shutDown();
    await running;
  });
});
