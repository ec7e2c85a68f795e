import { describe, expect, it } from '@jest/globals';
import { manualClock } from './kubernetes/clock.fixture.ts';
import { Quiet } from './quiet.ts';

describe('what is done when the work is over', () => {
  it('happens three times, after the last work', async () => {
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

  it('does not happen after the end', async () => {
    const clock = manualClock();
    const quiet = new Quiet(clock, () => expect(true).toBe(false));
    quiet.disturb();
    quiet.end();
    await clock.advance(60_000);
    expect(clock.pending()).toBe(0);
  });
});
