import { describe, expect, it, jest } from '@jest/globals';
import { manualClock, settle } from './clock.fixture.ts';
import { backoffMs, sleep, systemClock } from './clock.ts';

describe('backoffMs', () => {
  it.each([
    [0, 0, 225],
    [0, 1, 275],
    [3, 0.5, 2000],
    [30, 0.5, 10_000],
    [5000, 0, 9_000],
  ])('returns for %d failures with random %d a pause of %d ms', (failures, random, expected) => {
    const found = backoffMs(failures, { base: 250, max: 10_000 }, () => random);
    expect(found).toBeCloseTo(expected, 6);
  });
});

it('systemClock sets no timer above the maximum of Node.js, which would fire every millisecond', () => {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  systemClock.after(2 ** 40, () => undefined)();
  const times = timers.mock.calls.map(([, ms]) => ms);
  timers.mockRestore();
  expect(times).toEqual([2 ** 31 - 1]);
});

describe('sleep', () => {
  it('resolves after its duration', async () => {
    const clock = manualClock();
    let done = false;
    void sleep(clock, 100).then(() => (done = true));
    await clock.advance(99);
    expect(done).toBe(false);
    await clock.advance(1);
    expect(done).toBe(true);
  });

  it('resolves early and leaves no timer when the signal is aborted', async () => {
    const clock = manualClock();
    const stop = new AbortController();
    const sleeping = sleep(clock, 100, stop.signal);
    stop.abort();
    await sleeping;
    await sleep(clock, 100, stop.signal);
    await settle();
    expect(clock.pending()).toBe(0);
  });
});

describe('systemClock', () => {
  it('never runs an action early, not even by a fraction of a millisecond', async () => {
    const times = Array.from({ length: 300 }, (_, index) => 0.37 * index);
    const early = await Promise.all(
      times.map((ms) => {
        const due = systemClock.monotonic() + ms;
        return new Promise<number>((resolve) =>
          systemClock.after(ms, () => resolve(due - systemClock.monotonic())),
        );
      }),
    );
    expect(Math.max(...early)).toBeLessThanOrEqual(0);
  });

  it('does not run an action when its timer is canceled', async () => {
    let ran = false;
    const cancel = systemClock.after(1, () => (ran = true));
    cancel();
    await new Promise<void>((resolve) => systemClock.after(5, resolve));
    expect(ran).toBe(false);
  });
});
