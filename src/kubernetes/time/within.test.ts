import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from './clock.fixture.ts';
import { afterAbort, within } from './within.ts';

const NEVER = new Promise<void>(() => undefined);

describe('within', () => {
  it('resolves with the work, and leaves no timer behind', async () => {
    const clock = manualClock();
    await within(clock, 1_000, Promise.resolve());
    expect(clock.pending()).toBe(0);
    await expect(within(clock, 1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('resolves after the time when the work does not end', async () => {
    const clock = manualClock();
    let isOver = false;
    void within(clock, 1_000, NEVER).then(() => (isOver = true));
    await clock.advance(999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(isOver).toBe(true);
  });
});

describe('afterAbort', () => {
  it.each([true, false])(
    'resolves the time after the abort (aborted before: %s)',
    async (early) => {
      const clock = manualClock();
      const controller = new AbortController();
      let isOver = false;
      if (early) controller.abort();
      void afterAbort(clock, 500, controller.signal).then(() => (isOver = true));
      if (!early) {
        await clock.advance(5_000);
        controller.abort();
      }
      await clock.advance(499);
      expect(isOver).toBe(false);
      await clock.advance(1);
      await settle();
      expect(isOver).toBe(true);
    },
  );
});
