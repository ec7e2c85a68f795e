import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { LimiterWaits } from './limiter-waits.ts';
import { RateLimiter } from './limiter.ts';
import { Origins } from './origin.ts';
import { WorkQueue } from '../workqueue/queue.ts';
import { UNLIMITED } from './queue-shares.ts';

/** A queue with one worker at a time, whose keys call an API server with a rate limit. */
function setUp() {
  const clock = manualClock();
  const origins = new Origins();
  const waits = new LimiterWaits();
  const limiter = new RateLimiter({ qps: 1, burst: 1, origins, waits }, clock);
  const isLimited = (key: string): boolean => waits.has(key);
  const shares = { ...UNLIMITED, total: 1, slowAfterMs: 200, isLimited };
  const queue = new WorkQueue({ clock, random: () => 0.5, shares });
  const call = (key: string): Promise<void> => {
    const flow = { group: 'team', tenant: key };
    return origins.run({ flow, priority: 'normal' }, () => limiter.take());
  };
  return { clock, queue, waits, call };
}

describe('LimiterWaits', () => {
  it('has the objects whose calls wait for the limit', async () => {
    const { clock, waits, call } = setUp();
    for (const key of ['first', 'second', 'second']) void call(key);
    await settle();
    expect([waits.has('first'), waits.has('second')]).toEqual([false, true]);
    await clock.advance(1_000);
    expect(waits.has('second')).toBe(true);
    await clock.advance(1_000);
    expect(waits.has('second')).toBe(false);
  });

  it('keeps the place of a key in the queue while it waits for the limit, and not while it waits for the API server', async () => {
    const { clock, queue, call } = setUp();
    const taken: (string | undefined)[] = [];
    for (const key of ['a', 'b']) {
      queue.add(key);
      void queue.take().then((one) => taken.push(one));
    }
    void call('other');
    await settle();
    void call('a');
    await clock.advance(900);
    expect(taken).toEqual(['a']);
    await clock.advance(100 + 2 * 200);
    expect(taken).toEqual(['a', 'b']);
  });
});
