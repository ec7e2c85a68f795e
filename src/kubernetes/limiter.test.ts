import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from './clock.fixture.ts';
import { RateLimiter } from './limiter.ts';

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
});
