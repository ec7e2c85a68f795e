import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { Deadline } from './deadline.ts';

describe('Deadline', () => {
  it('does not count the time in which the request waits for the operator', async () => {
    const clock = manualClock();
    const deadline = new Deadline(clock, { timeoutMs: 1_000 });
    await clock.advance(600);
    const { promise, resolve } = Promise.withResolvers<void>();
    const paused = deadline.paused(promise);
    await clock.advance(60_000);
    expect(deadline.over).toBe(false);
    resolve();
    await paused;
    await clock.advance(399);
    expect(deadline.over).toBe(false);
    await clock.advance(1);
    expect([deadline.over, deadline.signal.aborted]).toEqual([true, true]);
  });

  it('ends with the caller while the request waits, and leaves no timer', async () => {
    const clock = manualClock();
    const caller = new AbortController();
    const deadline = new Deadline(clock, { timeoutMs: 1_000, signal: caller.signal });
    const { promise, reject } = Promise.withResolvers<void>();
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason as Error));
    const paused = deadline.paused(promise);
    caller.abort(new Error('aborted by test'));
    await expect(paused).rejects.toThrow('aborted by test');
    deadline.clear();
    await settle();
    expect(clock.pending()).toBe(0);
  });
});
