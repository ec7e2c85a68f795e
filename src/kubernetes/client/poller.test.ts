import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../time/clock.fixture.ts';
import { Poller } from './poller.ts';

interface Target {
  readonly name: string;
  readonly results: string[];
  pauseMs: number | undefined;
}

const KEY = 'team/demo';

function setUp() {
  const clock = manualClock();
  /** Monotonic start times of all checks in milliseconds. */
  const began: number[] = [];
  const waiting: { readonly signal: AbortSignal; readonly end: (result: string) => void }[] = [];
  const log = memoryLog();
  const poller = new Poller<Target, string>({
    clock,
    log,
    check: (_, signal) => {
      began.push(clock.monotonic());
      return new Promise((end, fail) => {
        signal.addEventListener('abort', () => fail(signal.reason as Error));
        waiting.push({ signal, end });
      });
    },
    onResult: (key, target, result) => {
      target.results.push(`${key} ${result}`);
      if (result === 'forget') poller.forget(key);
      if (result === 'replace') poller.add(key, targetNamed('next'));
      if (result === 'again') poller.check(key);
      if (result.startsWith('fault')) throw new Error(result);
    },
    pauseMs: (target) => target.pauseMs,
  });
  const targetNamed = (name: string): Target => ({ name, results: [], pauseMs: 1_000 });
  const target = targetNamed('first');
  /** Completes the oldest check in progress. */
  const end = async (result: string): Promise<void> => {
    waiting.shift()?.end(result);
    await settle();
  };
  return { clock, log, began, waiting, poller, target, targetNamed, end };
}

describe('Poller', () => {
  it('checks a new target at once, and again after the pause that the last result sets', async () => {
    const { clock, began, poller, target, end } = setUp();
    poller.add(KEY, target);
    expect(began).toEqual([0]);
    await end('one');
    expect(target.results).toEqual([`${KEY} one`]);
    target.pauseMs = 5_000;
    await clock.advance(1_000);
    expect(began).toEqual([0, 1_000]);
    await end('two');
    await clock.advance(4_999);
    expect(began).toHaveLength(2);
    await clock.advance(1);
    expect(began).toEqual([0, 1_000, 6_000]);
  });

  it('starts no second check of a target while one is in progress', async () => {
    const { clock, began, poller, target, end } = setUp();
    poller.add(KEY, target);
    await clock.advance(600_000);
    expect([began.length, poller.isChecking(KEY)]).toEqual([1, true]);
    await end('one');
    expect([began.length, poller.isChecking(KEY)]).toEqual([1, false]);
  });

  it('checks a target at once and restarts the pause when a check is requested during the pause', async () => {
    const { clock, began, poller, target, end } = setUp();
    poller.add(KEY, target);
    await end('one');
    await clock.advance(400);
    poller.check(KEY);
    expect([began, clock.pending()]).toEqual([[0, 400], 0]);
    await end('two');
    await clock.advance(1_000);
    expect(began).toEqual([0, 400, 1_400]);
  });

  it('runs one more check when checks are requested during a check', async () => {
    const { clock, began, poller, target, end } = setUp();
    poller.add(KEY, target);
    poller.check(KEY);
    poller.check(KEY);
    expect(began).toHaveLength(1);
    await end('one');
    expect([began.length, target.results.length, clock.pending()]).toEqual([2, 1, 0]);
    await end('two');
    expect([began.length, target.results.length, clock.pending()]).toEqual([2, 2, 1]);
  });

  it('checks a target without a pause only on request', async () => {
    const { clock, began, poller, target, end } = setUp();
    target.pauseMs = undefined;
    poller.add(KEY, target);
    await end('one');
    await clock.advance(600_000);
    expect([began.length, clock.pending()]).toEqual([1, 0]);
    poller.check(KEY);
    await end('two');
    expect(target.results).toEqual([`${KEY} one`, `${KEY} two`]);
  });

  it('checks no target that is added after it was closed', () => {
    const { began, poller, target } = setUp();
    poller.close();
    poller.add(KEY, target);
    expect([began, poller.get(KEY)]).toEqual([[], undefined]);
  });

  it('checks several targets independently', async () => {
    const { began, poller, target, targetNamed, end } = setUp();
    const other = targetNamed('other');
    poller.add(KEY, target);
    poller.add('team/other', other);
    expect(began).toEqual([0, 0]);
    await end('one');
    expect([target.results, other.results]).toEqual([[`${KEY} one`], []]);
    expect(poller.all()).toEqual([
      [KEY, target],
      ['team/other', other],
    ]);
    expect([poller.get(KEY), poller.get('none')]).toEqual([target, undefined]);
  });

  it.each<[string, (poller: Poller<Target, string>) => void]>([
    ['is forgotten', (poller) => poller.forget(KEY)],
    ['is forgotten by close', (poller) => poller.close()],
  ])('aborts the check and ignores its result when a target %s', async (_, forget) => {
    const { clock, began, waiting, poller, target, end } = setUp();
    poller.add(KEY, target);
    const signal = waiting[0]?.signal;
    forget(poller);
    expect([signal?.aborted, poller.get(KEY), poller.isChecking(KEY)]).toEqual([
      true,
      undefined,
      false,
    ]);
    await end('late');
    poller.check(KEY);
    await clock.advance(10_000);
    expect([began.length, target.results, clock.pending()]).toEqual([1, [], 0]);
  });

  it('does not check a target again when it is forgotten during the pause', async () => {
    const { clock, began, poller, target, end } = setUp();
    poller.add(KEY, target);
    await end('one');
    poller.forget(KEY);
    await clock.advance(10_000);
    expect([began.length, clock.pending()]).toEqual([1, 0]);
  });

  it('aborts the check of a target when another target replaces it', async () => {
    const { clock, waiting, poller, target, targetNamed, end } = setUp();
    const next = targetNamed('next');
    poller.add(KEY, target);
    poller.add(KEY, next);
    expect(waiting.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    await end('late');
    await end('new');
    expect([target.results, next.results, clock.pending()]).toEqual([[], [`${KEY} new`], 1]);
  });

  it.each<[string, { readonly checks: number; readonly timers: number }]>([
    ['forget', { checks: 1, timers: 0 }],
    ['replace', { checks: 2, timers: 0 }],
    ['again', { checks: 2, timers: 0 }],
    ['nothing', { checks: 1, timers: 1 }],
  ])(
    'continues correctly when the result handler calls an action on the target: %s',
    async (result, expected) => {
      const { clock, began, poller, target, end } = setUp();
      poller.add(KEY, target);
      await end(result);
      expect({ checks: began.length, timers: clock.pending() }).toEqual(expected);
    },
  );

  it.each<[string, number | undefined, number]>([
    ['after the pause', 1_000, 1_000],
    ['after a minute without a pause', undefined, 60_000],
  ])('logs an error of the result handler and checks again %s', async (_, pauseMs, ms) => {
    const { clock, log, began, poller, target, end } = setUp();
    target.pauseMs = pauseMs;
    poller.add(KEY, target);
    await end('fault');
    expect(log.lines).toEqual([
      `error result of a check not recorded, will check again ${JSON.stringify({ key: KEY, error: 'fault' })}`,
    ]);
    expect(poller.isChecking(KEY)).toBe(false);
    await clock.advance(ms);
    expect(began).toEqual([0, ms]);
    await end('two');
    expect(target.results).toEqual([`${KEY} fault`, `${KEY} two`]);
  });

  it('does not check again at once when the result handler requests a check and fails', async () => {
    const { clock, began, poller, target, end } = setUp();
    poller.add(KEY, target);
    poller.check(KEY);
    await end('fault');
    expect([began.length, clock.pending()]).toEqual([1, 1]);
  });

  it('logs nothing about a check that fails because it is aborted', async () => {
    const { log, poller, target, end } = setUp();
    poller.add(KEY, target);
    poller.forget(KEY);
    await end('late');
    expect(log.lines).toEqual([]);
  });
});
