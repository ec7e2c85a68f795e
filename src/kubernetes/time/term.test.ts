import { describe, expect, it } from '@jest/globals';
import { manualClock } from './clock.fixture.ts';
import { LeaderTerm, LeaseLostError, TermEndedError } from './term.ts';

describe('LeaderTerm', () => {
  it('allows writes without an election', () => {
    const term = new LeaderTerm(manualClock());
    expect(() => term.check()).not.toThrow();
    expect(term.isLost).toBe(false);
  });

  it('ends at the renew deadline of one of its leases although no timer has run', async () => {
    const clock = manualClock();
    const term = new LeaderTerm(clock);
    term.renewed('leader', 10_000);
    term.renewed('installation', 20_000);
    await clock.advance(9_000);
    term.renewed('leader', 19_000);
    await clock.advance(10_000);
    expect(() => term.check()).not.toThrow();
    await clock.advance(1);
    expect(term.signal.aborted).toBe(false);
    expect(() => term.check()).toThrow(LeaseLostError);
    expect(term.signal.aborted).toBe(true);
  });

  it('is lost when a lease was not renewed, and not when the operator stops', async () => {
    const clock = manualClock();
    const [stopped, lost] = [new LeaderTerm(clock), new LeaderTerm(clock)];
    stopped.end(new TermEndedError('the operator stops'));
    lost.renewed('leader', 10);
    await clock.advance(11);
    expect([stopped.isLost, lost.isLost]).toEqual([false, true]);
    expect(() => stopped.check()).toThrow('the operator stops');
  });

  it('tells listeners its end once, also late ones, and not those that were removed', async () => {
    const clock = manualClock();
    const term = new LeaderTerm(clock);
    const told: string[] = [];
    const listen = (name: string) =>
      term.onEnd((reason) => told.push(`${name}: ${String(reason)}`));
    listen('first');
    listen('removed')();
    term.renewed('leader', 10);
    await clock.advance(11);
    expect(() => term.check()).toThrow(LeaseLostError);
    term.end(new TermEndedError('the operator stops'));
    listen('late');
    const lost = 'LeaseLostError: the leader lease is lost: not renewed within the renew deadline';
    expect(told).toEqual([`first: ${lost}`, `late: ${lost}`]);
  });
});
