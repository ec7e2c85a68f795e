import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../kubernetes/time/clock.fixture.ts';
import type { InTurn } from '../kubernetes/fairness/received-data.ts';
import { ProbeDeadline } from './probe-deadline.ts';

/** A deadline of 4 s for the etcd member and 60 s for turns, and turns that begin on request. */
function setUp() {
  const clock = manualClock();
  const abort = new AbortController();
  const deadline = new ProbeDeadline({ clock, answerMs: 4_000, turnsMs: 60_000 }, abort.signal);
  const waiting: (() => void)[] = [];
  const inTurn: InTurn = (work, signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      waiting.push(() => resolve(work()));
    });
  const turn = deadline.turns(inTurn);
  const take = () => turn(() => undefined, deadline.signal).catch(() => undefined);
  /** Begins the oldest turn that waits. */
  const begin = async (): Promise<void> => {
    waiting.shift()?.();
    await settle();
  };
  return { clock, abort, deadline, take, begin };
}

describe('ProbeDeadline', () => {
  it('ends a probe whose etcd member does not respond within its limit', async () => {
    const { clock, deadline } = setUp();
    await clock.advance(3_999);
    expect([deadline.signal.aborted, deadline.exceeded]).toEqual([false, undefined]);
    await clock.advance(1);
    expect([deadline.signal.aborted, deadline.exceeded]).toEqual([true, 'answer']);
  });

  it('does not count the time until a turn begins as time of the etcd member', async () => {
    const { clock, deadline, take, begin } = setUp();
    await clock.advance(3_000);
    for (let turns = 0; turns < 3; turns += 1) {
      void take();
      await clock.advance(10_000);
      expect(deadline.signal.aborted).toBe(false);
      await begin();
    }
    await clock.advance(999);
    expect(deadline.exceeded).toBeUndefined();
    await clock.advance(1);
    expect(deadline.exceeded).toBe('answer');
  });

  it('ends a probe whose turns together wait longer than their limit', async () => {
    const { clock, deadline, take, begin } = setUp();
    void take();
    await clock.advance(40_000);
    await begin();
    void take();
    await clock.advance(19_999);
    expect(deadline.exceeded).toBeUndefined();
    await clock.advance(1);
    expect([deadline.signal.aborted, deadline.exceeded]).toEqual([true, 'turns']);
  });

  it.each<[string, (setting: ReturnType<typeof setUp>) => void]>([
    ['ended', ({ deadline }) => deadline.end()],
    ['cancelled', ({ abort, deadline }) => (abort.abort(), deadline.end())],
  ])('gives up the turn and has no timer when the probe is %s', async (_, end) => {
    const setting = setUp();
    const taken = setting.take();
    end(setting);
    await taken;
    await setting.clock.advance(60_000);
    expect([setting.clock.pending(), setting.deadline.exceeded]).toEqual([0, undefined]);
  });
});
