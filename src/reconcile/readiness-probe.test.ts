import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { manualClock, settle } from '../kubernetes/clock.fixture.ts';
import { askAgainAfterMs, ReadinessProbe } from './readiness-probe.ts';

function setUp() {
  const clock = manualClock();
  const asked: number[] = [];
  const state = { refusal: 'no' as string | undefined, changes: 0 };
  const probe = new ReadinessProbe<string>({
    clock,
    random: () => 0.5,
    ask: () => {
      asked.push(clock.monotonic());
      return Promise.resolve(state.refusal);
    },
    onChange: () => (state.changes += 1),
  });
  return { clock, asked, state, probe };
}

describe('the pause before an API server is asked again', () => {
  it('is short while it starts, grows with the time, and has an end', () => {
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

describe('the readiness of an API server', () => {
  it('is asked for at most once a minute or two when there is never an answer', async () => {
    const { clock, asked, probe, state } = setUp();
    expect(probe.look('pod')).toBe('unknown');
    await clock.advance(3_600_000);
    const late = asked.filter((at) => at > 1_800_000);
    expect(late.length).toBeGreaterThan(15);
    expect(late.length).toBeLessThanOrEqual(20);
    expect(asked.length).toBeLessThan(200);
    expect(state.changes).toBe(1);
    expect(probe.look('pod')).toEqual({ refusal: 'no' });
  });

  it('is known soon after a pod changed, however long it was dead', async () => {
    const { clock, asked, probe, state } = setUp();
    probe.look('pod');
    await clock.advance(3_600_000);
    const before = asked.length;
    probe.look('another pod');
    await settle();
    expect(asked.length).toBe(before + 1);
    state.refusal = undefined;
    await clock.advance(100);
    expect(probe.look('another pod')).toBe('ready');
    expect(state.changes).toBe(2);
    expect(clock.pending()).toBe(0);
  });

  it('is asked for anew while somebody looks, and no reconcile costs a question of its own', async () => {
    const { clock, asked, probe, state } = setUp();
    state.refusal = undefined;
    probe.look('pod');
    await settle();
    for (let looks = 0; looks < 10; looks += 1) expect(probe.look('pod')).toBe('ready');
    expect(asked).toHaveLength(1);
    state.refusal = 'gone';
    await clock.advance(1_001);
    probe.look('pod');
    await settle();
    expect(probe.look('pod')).toEqual({ refusal: 'gone' });
    expect(asked).toHaveLength(2);
  });

  it('is not asked for after the end', async () => {
    const { clock, asked, probe } = setUp();
    probe.look('pod');
    await settle();
    probe.close();
    probe.look('other');
    await clock.advance(100_000);
    expect(asked).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });
});
