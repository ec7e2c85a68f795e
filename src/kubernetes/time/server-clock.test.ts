import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { manualClock, type ManualClock } from './clock.fixture.ts';
import { ServerClock } from './server-clock.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const DAY_MS = 86_400_000;
const dateOf = (ms: number): string => new Date(ms).toUTCString();

interface Fixture {
  readonly own: ManualClock;
  readonly clock: ServerClock;
  readonly corrections: number[];
}

function fixture(ownWall: number): Fixture {
  const corrections: number[] = [];
  const own = manualClock(ownWall);
  const clock = new ServerClock(own, (aheadMs) => corrections.push(aheadMs));
  return { own, clock, corrections };
}

describe('ServerClock', () => {
  it.each([
    ['a day ahead', DAY_MS],
    ['a day behind', -DAY_MS],
    ['ten seconds ahead', 10_000],
  ])('corrects the time when the local clock is %s', async (_, wrongBy) => {
    const { own, clock, corrections } = fixture(NOW + wrongBy);
    expect(clock.wall()).toBe(NOW + wrongBy);
    clock.hear(dateOf(NOW), own.monotonic());
    expect(Math.abs(clock.wall() - NOW)).toBeLessThanOrEqual(1_000);
    expect(corrections).toEqual([wrongBy - 500]);
    await own.advance(7_000);
    expect(Math.abs(clock.wall() - NOW - 7_000)).toBeLessThanOrEqual(1_000);
    clock.hear(dateOf(NOW + 7_000), own.monotonic());
    expect(corrections).toHaveLength(1);
  });

  it('follows the local clock to the millisecond while both clocks agree', async () => {
    const { own, clock, corrections } = fixture(NOW + 678);
    await own.advance(3_210);
    clock.hear(dateOf(NOW + 3_000), own.monotonic());
    expect([clock.wall(), corrections]).toEqual([NOW + 3_888, []]);
  });

  it('does not correct the time when a response is only slow', async () => {
    const { own, clock, corrections } = fixture(NOW);
    const sentAt = own.monotonic();
    await own.advance(60_000);
    clock.hear(dateOf(NOW + 1_000), sentAt);
    expect(corrections).toEqual([]);
  });

  it('ignores invalid Date headers', () => {
    const { own, clock } = fixture(NOW);
    const dates = ['', 'soon', '99???', '2020-01-02', 'Thu, 31 Feb 2020 00:00:00 GMT'];
    for (const date of dates) clock.hear(date, own.monotonic());
    expect(clock.wall()).toBe(NOW);
  });

  it('differs from the Date header by the tolerance and the response time at most, for any local clock', () => {
    const ms = fc.integer({ min: -10 * DAY_MS, max: 10 * DAY_MS });
    fc.assert(
      fc.property(ms, fc.nat(30_000), (wrongBy, took) => {
        const { own, clock } = fixture(NOW + wrongBy);
        clock.hear(dateOf(NOW), own.monotonic() - took);
        const apart = Math.abs(clock.wall() - NOW);
        expect(apart).toBeLessThanOrEqual(6_000 + took);
      }),
    );
  });
});
