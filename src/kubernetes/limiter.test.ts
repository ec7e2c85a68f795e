import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from './clock.fixture.ts';
import { RateLimiter } from './limiter.ts';

describe('rate limiter', () => {
  it('lets a burst through, then one at a time, in order', async () => {
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

  it('fills again while idle, up to the burst', async () => {
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
