import { describe, expect, it } from '@jest/globals';
import { manualClock } from '../kubernetes/time/clock.fixture.ts';
import { IdleTrigger } from './idle-trigger.ts';

describe('Quiet', () => {
  it('runs the action three times after the last activity', async () => {
    const clock = manualClock();
    let times = 0;
    const quiet = new IdleTrigger(clock, () => (times += 1));
    for (let work = 0; work < 5; work += 1) {
      quiet.recordActivity();
      await clock.advance(19_000);
    }
    expect(times).toBe(0);
    await clock.advance(600_000);
    expect(times).toBe(3);
  });

  it('does not run the action after end', async () => {
    const clock = manualClock();
    const quiet = new IdleTrigger(clock, () => expect(true).toBe(false));
    quiet.recordActivity();
    quiet.end();
    await clock.advance(60_000);
    expect(clock.pending()).toBe(0);
  });
});
