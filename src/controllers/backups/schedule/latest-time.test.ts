import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { cronTimes, latestTime, type NextTime } from './cron.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-10-24T00:00:00Z');

/** Tries one time after the other. */
function latestInTurn(next: NextTime, after: number, until: number): number | undefined {
  let latest: number | undefined;
  for (let time = next(after); time !== undefined && time <= until; time = next(time))
    latest = time;
  return latest;
}

describe('latestTime', () => {
  it('finds the last time of a period, also when the clocks change', () => {
    const expressions = ['* * * * *', '*/7 0-11 * * *', '30 2 * * *', '0 0 30 2 *', '5 4 * * 0'];
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu');
    const offset = fc.integer({ min: 0, max: 2 * DAY });
    fc.assert(
      fc.property(
        fc.constantFrom(...expressions),
        zone,
        offset,
        offset,
        (text, name, at, length) => {
          const next = cronTimes(text, name);
          const [after, until] = [START + at, START + at + length];
          expect(latestTime(next, after, until)).toBe(latestInTurn(next, after, until));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('tries few of the times of a day', () => {
    const next = cronTimes('* * * * *', 'UTC');
    let calls = 0;
    const counted: NextTime = (after) => {
      calls += 1;
      return next(after);
    };
    expect(latestTime(counted, START, START + DAY)).toBe(START + DAY);
    expect(calls).toBeLessThan(20);
  });
});
