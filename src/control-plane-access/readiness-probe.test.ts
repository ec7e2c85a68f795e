import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { manualClock, memoryLog, settle } from '../kubernetes/time/clock.fixture.ts';
import { askAgainAfterMs, ReadinessProbe } from './readiness-probe.ts';

function setUp() {
  const clock = manualClock();
  const isRequested: number[] = [];
  const state = { refusal: 'no' as string | undefined, changes: 0 };
  const probe = new ReadinessProbe<string>({
    clock,
    log: memoryLog(),
    random: () => 0.5,
    ask: () => {
      isRequested.push(clock.monotonic());
      return Promise.resolve(state.refusal);
    },
    onChange: () => (state.changes += 1),
  });
  return { clock, isRequested, state, probe };
}

describe('askAgainAfterMs', () => {
  it('is 100 ms for the first 10 s, then grows up to 90 s', () => {
    expect([0, 10_000, 16_000, 80_000, 3_600_000].map(askAgainAfterMs)).toEqual([
      100, 100, 2_000, 10_000, 90_000,
    ]);
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), (one, more) => {
        expect(askAgainAfterMs(one)).toBeLessThanOrEqual(askAgainAfterMs(one + more));
      }),
    );
  });
});

describe('ReadinessProbe', () => {
  it('checks at most every 90 s when the API server has been down for long', async () => {
    const { clock, isRequested, probe, state } = setUp();
    expect(probe.current('pod')).toBe('unknown');
    await clock.advance(3_600_000);
    const late = isRequested.filter((at) => at > 1_800_000);
    expect(late.length).toBeGreaterThan(15);
    expect(late.length).toBeLessThanOrEqual(20);
    expect(isRequested.length).toBeLessThan(200);
    expect(state.changes).toBe(1);
    expect(probe.current('pod')).toEqual({ refusal: 'no' });
  });

  it('checks at once when a Pod changes after a long failure', async () => {
    const { clock, isRequested, probe, state } = setUp();
    probe.current('pod');
    await clock.advance(3_600_000);
    const before = isRequested.length;
    probe.current('another pod');
    await settle();
    expect(isRequested.length).toBe(before + 1);
    state.refusal = undefined;
    await clock.advance(100);
    expect(probe.current('another pod')).toBe('ready');
    expect(state.changes).toBe(2);
    expect(clock.pending()).toBe(0);
  });

  it('checks again only when the last success is outdated, not on each call', async () => {
    const { clock, isRequested, probe, state } = setUp();
    state.refusal = undefined;
    probe.current('pod');
    await settle();
    for (let call = 0; call < 10; call += 1) expect(probe.current('pod')).toBe('ready');
    expect(isRequested).toHaveLength(1);
    state.refusal = 'gone';
    await clock.advance(1_001);
    probe.current('pod');
    await settle();
    expect(probe.current('pod')).toEqual({ refusal: 'gone' });
    expect(isRequested).toHaveLength(2);
  });

  it('does not check an outdated success again for a caller that sends requests itself, unless a Pod changes', async () => {
    const { clock, isRequested, probe, state } = setUp();
    state.refusal = undefined;
    probe.current('pod', false);
    await clock.advance(60_000);
    expect(probe.current('pod', false)).toBe('ready');
    await settle();
    expect(isRequested).toHaveLength(1);
    probe.current('another pod', false);
    await settle();
    expect(isRequested).toHaveLength(2);
  });

  it('stops all checks when it is closed', async () => {
    const { clock, isRequested, probe } = setUp();
    probe.current('pod');
    await settle();
    probe.close();
    probe.current('other');
    await clock.advance(100_000);
    expect(isRequested).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });
});
