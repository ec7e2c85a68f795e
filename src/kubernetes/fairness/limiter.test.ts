import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { manualClock, settle } from '../time/clock.fixture.ts';
import type { Priority } from './fair-order.ts';
import { RateLimiter } from './limiter.ts';
import { Origins } from './origin.ts';

describe('RateLimiter', () => {
  it('allows a burst, then one call per interval in the order of the calls', async () => {
    const clock = manualClock();
    const limiter = new RateLimiter({ qps: 10, burst: 3 }, clock);
    const passed: number[] = [];
    for (let i = 0; i < 6; i += 1) void limiter.take().then(() => passed.push(i));
    await settle();
    expect(passed).toEqual([0, 1, 2]);
    await clock.advance(100);
    expect(passed).toEqual([0, 1, 2, 3]);
    await clock.advance(200);
    expect(passed).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('refills up to the burst while idle', async () => {
    const clock = manualClock();
    const limiter = new RateLimiter({ qps: 10, burst: 2 }, clock);
    await limiter.take();
    await limiter.take();
    await clock.advance(60_000);
    let passed = 0;
    for (let i = 0; i < 5; i += 1) void limiter.take().then(() => (passed += 1));
    await settle();
    expect(passed).toBe(2);
  });

  it('lets a waiting call end early without a token when its signal is aborted', async () => {
    const clock = manualClock();
    const limiter = new RateLimiter({ qps: 10, burst: 1 }, clock);
    await limiter.take();
    const stop = new AbortController();
    const passed: string[] = [];
    void limiter.take(stop.signal).then(() => passed.push('aborted'));
    void limiter.take().then(() => passed.push('next'));
    stop.abort();
    await settle();
    expect([passed, limiter.length]).toEqual([['aborted'], 1]);
    await clock.advance(100);
    expect(passed).toEqual(['aborted', 'next']);
    expect(clock.pending()).toBe(0);
  });
});

describe('RateLimiter with calls of several origins', () => {
  function setUp(burst = 1) {
    const clock = manualClock();
    const origins = new Origins();
    const waits: string[] = [];
    const onWait = (waitedMs: number, priority: Priority): void =>
      void waits.push(`${priority} ${String(Math.round(waitedMs))}`);
    const limiter = new RateLimiter({ qps: 10, burst, origins, onWait }, clock);
    const passed: string[] = [];
    const call = (group: string, tenant: string, priority: Priority = 'normal'): void =>
      origins.run({ flow: { group, tenant }, priority }, () => {
        void limiter.take().then(() => passed.push(`${group}/${tenant}`));
      });
    return { clock, call, passed, waits };
  }

  it('serves a namespace with one call before the remaining calls of one with hundreds', async () => {
    const { clock, call, passed } = setUp();
    for (let count = 0; count < 300; count += 1) call('crowded', `k${String(count)}`);
    await clock.advance(1_000);
    call('other', 'demo');
    passed.length = 0;
    await clock.advance(100);
    expect(passed).toEqual(['other/demo']);
  });

  it('lets the objects of a namespace take turns', async () => {
    const { clock, call, passed } = setUp();
    for (const name of ['a', 'a', 'a', 'b']) call('team', name);
    await clock.advance(1_000);
    expect(passed).toEqual(['team/a', 'team/b', 'team/a', 'team/a']);
  });

  it('sends calls of normal priority first, and counts the waits of both', async () => {
    const { clock, call, passed, waits } = setUp();
    call('team', 'first');
    call('team', 'start', 'low');
    call('team', 'repair');
    await clock.advance(1_000);
    expect(passed).toEqual(['team/first', 'team/repair', 'team/start']);
    expect(waits).toEqual(['normal 0', 'normal 100', 'low 200']);
  });

  it('never exceeds the rate, and lets every call proceed, for arbitrary calls', async () => {
    const step = fc.record({
      group: fc.constantFrom('a', 'b', 'c'),
      tenant: fc.constantFrom('x', 'y'),
      priority: fc.constantFrom<Priority>('normal', 'low'),
      pauseMs: fc.integer({ min: 0, max: 150 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { clock, call, passed } = setUp(3);
        for (const { group, tenant, priority, pauseMs } of steps) {
          call(group, tenant, priority);
          await clock.advance(pauseMs);
          expect(passed.length).toBeLessThanOrEqual(3 + clock.monotonic() / 100);
        }
        await clock.advance(100 * steps.length);
        expect(passed).toHaveLength(steps.length);
        expect(clock.pending()).toBe(0);
      }),
      { numRuns: 20 },
    );
  });
});
