import { describe, expect, it } from '@jest/globals';
import { manualClock } from './kubernetes/clock.fixture.ts';
import { Quiet } from './quiet.ts';

describe('Quiet', () => {
  it('runs the action three times after the last activity', async () => {
    const clock = manualClock();
    let times = 0;
    const quiet = new Quiet(clock, () => (times += 1));
    for (let work = 0; work < 5; work += 1) {
      quiet.disturb();
      await clock.advance(19_000);
    }
    expect(times).toBe(0);
    await clock.advance(600_000);
    expect(times).toBe(3);
  });

  it('does not run the action after end', async () => {
    const clock = manualClock();
    const quiet = new Quiet(clock, () => expect(true).toBe(false));
    quiet.disturb();
    quiet.end();
    await clock.advance(60_000);
    expect(clock.pending()).toBe(0);
  });
});
