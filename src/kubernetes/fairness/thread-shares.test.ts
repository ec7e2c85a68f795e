import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { ThreadShares } from './thread-shares.ts';

function setUp() {
  const clock = manualClock();
  let busy = 0;
  const shares = new ThreadShares({
    after: (ms, action) => clock.after(ms, action),
    wall: () => clock.wall(),
    monotonic: () => clock.monotonic() + busy,
  });
  const begun: string[] = [];
  /** @param ms time that the work occupies the thread, in milliseconds */
  const run = (name: string, ms: number, signal = new AbortController().signal): Promise<string> =>
    shares.run(
      () => {
        begun.push(name);
        busy += ms;
        return name;
      },
      { flow: { group: name.slice(0, 1), tenant: '' }, signal },
    );
  return { clock, shares, begun, run };
}

describe('ThreadShares', () => {
  it('runs work at once and returns its result without a pause', async () => {
    const { run } = setUp();
    expect(await run('a1', 1_000)).toBe('a1');
  });

  it('leaves the thread to other work, and to other namespaces first', async () => {
    const { clock, begun, run } = setUp();
    for (const name of ['a1', 'a2', 'b1', 'c1']) void run(name, 100);
    await settle();
    expect(begun).toEqual(['a1']);
    await clock.advance(100);
    expect(begun).toEqual(['a1', 'b1']);
    await clock.advance(100);
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await clock.advance(199);
    expect(begun).toHaveLength(3);
    await clock.advance(1);
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('pauses in proportion, so short work of one namespace runs often', async () => {
    const { clock, begun, run } = setUp();
    for (let count = 0; count < 100; count += 1) void run('a', 1);
    await clock.advance(499);
    expect(begun).toHaveLength(100);
  });

  it('goes on after work that throws', async () => {
    const { clock, shares, begun, run } = setUp();
    const fail = (): never => {
      throw new Error('broken');
    };
    const turn = { flow: { group: 'a', tenant: '' } };
    await expect(shares.run(fail, turn)).rejects.toThrow('broken');
    void run('a1', 0);
    await clock.advance(1);
    expect(begun).toEqual(['a1']);
  });

  it('does not run work that is aborted while it waits', async () => {
    const { clock, begun, run } = setUp();
    const abort = new AbortController();
    void run('a1', 100);
    const waiting = run('a2', 100, abort.signal);
    abort.abort();
    await expect(waiting).rejects.toHaveProperty('name', 'AbortError');
    await clock.advance(1_000);
    expect([begun, clock.pending()]).toEqual([['a1'], 0]);
  });
});
