import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../kubernetes/time/clock.fixture.ts';
import { LateCalls, LATE_AFTER_MS } from './late-calls.ts';

/** A call that ends on request. */
function slowCall() {
  let [resolve, reject] = [(_: string): void => undefined, (_: Error): void => undefined];
  const state = { started: 0 };
  const call = (): Promise<string> => {
    state.started += 1;
    return new Promise<string>((yes, no) => ([resolve, reject] = [yes, no]));
  };
  const end = async (value: string | Error): Promise<void> => {
    if (value instanceof Error) reject(value);
    else resolve(value);
    await settle();
  };
  return { state, call, end };
}

function setUp() {
  const clock = manualClock();
  const events = { ended: 0 };
  const calls = new LateCalls({ clock, onEnd: () => (events.ended += 1) });
  return { clock, events, calls, ...slowCall() };
}

/** Starts a call and lets it become late. */
async function late({ clock, calls, call }: ReturnType<typeof setUp>, keepsValue = true) {
  const answer = calls.run('key', call, keepsValue);
  await clock.advance(LATE_AFTER_MS);
  return answer;
}

describe('LateCalls', () => {
  it('returns the value of a call that ends in time, and requests no reconcile', async () => {
    const { calls, events, clock } = setUp();
    expect(await calls.run('key', () => Promise.resolve('a'), true)).toEqual({ value: 'a' });
    expect([events.ended, clock.pending(), calls.isRunning('key')]).toEqual([0, 0, false]);
  });

  it('throws the error of a call that fails in time', async () => {
    const { calls } = setUp();
    const failing = calls.run('key', () => Promise.reject(new Error('refused')), true);
    await expect(failing).rejects.toThrow('refused');
  });

  it('returns late for a call that takes longer, and does not start it again while it is running', async () => {
    const given = setUp();
    expect(await late(given)).toBe('late');
    expect(await given.calls.run('key', given.call, true)).toBe('late');
    const { state, calls, events } = given;
    expect([state.started, calls.isRunning('key'), events.ended]).toEqual([1, true, 0]);
  });

  it('requests a reconcile at the end of a late call, which receives its value once', async () => {
    const given = setUp();
    await late(given);
    await given.end('a');
    expect(given.events.ended).toBe(1);
    expect(await late(given)).toEqual({ value: 'a' });
    expect(await late(given)).toBe('late');
    expect(given.state.started).toBe(2);
  });

  it('gives the next reconcile the error of a late call', async () => {
    const given = setUp();
    await late(given);
    await given.end(new Error('timed out'));
    await expect(given.calls.run('key', given.call, true)).rejects.toThrow('timed out');
    expect(given.state.started).toBe(1);
  });

  it('starts a late write again after its success, because the object may have changed since', async () => {
    const given = setUp();
    await late(given, false);
    await given.end('a');
    expect(given.events.ended).toBe(1);
    expect(await late(given, false)).toBe('late');
    expect(given.state.started).toBe(2);
  });

  it('forgets the result of a late call after some seconds', async () => {
    const given = setUp();
    await late(given);
    await given.end('a');
    await given.clock.advance(6_000);
    expect(await late(given)).toBe('late');
    expect(given.state.started).toBe(2);
  });
});
