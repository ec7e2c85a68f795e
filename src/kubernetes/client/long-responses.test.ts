import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { LongResponses, unbounded, type Reading } from './long-responses.ts';
import { Origins } from '../fairness/origin.ts';

/** Bytes above which a text is long. */
const LONG = 262_144;

interface Begun {
  readonly reading: Reading;
  /** Whether more of it may be read. */
  isRead: boolean;
  error?: unknown;
}

function setUp() {
  const origins = new Origins();
  const responses = new LongResponses({ clock: manualClock(), origins });
  /** @param place namespace, and its server after a slash */
  const begin = (place: string, bytes = LONG + 1, signal?: AbortSignal): Begun => {
    const [group = '', server = ''] = place.split('/');
    const begun: Begun = { reading: responses.of(server)(), isRead: false };
    const flow = { group, tenant: 'object' };
    const wait = origins.run({ flow, priority: 'normal' }, () => begun.reading.add(bytes, signal));
    const done = (): void => void (begun.isRead = true);
    if (wait === undefined) done();
    else wait.then(done, (error: unknown) => (begun.error = error));
    return begun;
  };
  const many = (place: string, count: number): Begun[] =>
    Array.from({ length: count }, () => begin(place));
  return { begin, many };
}

const read = (all: readonly Begun[]): number => all.filter(({ isRead }) => isRead).length;

describe('LongResponses', () => {
  it('never delays short responses', () => {
    const { begin, many } = setUp();
    many('a', 10);
    expect(Array.from({ length: 100 }, () => begin('a', LONG).isRead)).not.toContain(false);
  });

  it.each<[string, readonly string[], readonly number[], readonly number[]]>([
    ['2 long responses of a server', ['a/one'], [2], [3]],
    [
      '4 of a namespace, for other servers first',
      ['a/one', 'a/two', 'a/three'],
      [2, 2, 0],
      [2, 2, 1],
    ],
    [
      '8 in all, for other namespaces first',
      ['a/1', 'a/2', 'b/1', 'b/2', 'c/1'],
      [2, 2, 2, 2, 0],
      [2, 2, 2, 2, 1],
    ],
    ['a server of each namespace', ['a/one', 'b/one', 'c/one'], [2, 2, 2], [3, 2, 2]],
  ])('has room for %s', async (_, places, expected, next) => {
    const { many } = setUp();
    const all = places.map((place) => many(place, 96));
    await settle();
    expect(all.map(read)).toEqual(expected);
    all[0]?.[0]?.reading.end();
    await settle();
    expect(all.map(read)).toEqual(next);
  });

  it('counts the bytes of all chunks of a text, and those of the next one anew', async () => {
    const { begin, many } = setUp();
    const { reading } = begin('', LONG);
    expect(reading.isLong).toBe(false);
    await reading.add(1);
    expect(reading.isLong).toBe(true);
    expect(reading.add(LONG)).toBeUndefined();
    const others = many('', 2);
    await settle();
    expect(read(others)).toBe(1);
    reading.end();
    await settle();
    expect([reading.isLong, reading.add(LONG), read(others)]).toEqual([false, undefined, 2]);
  });

  it('ends the wait with the reason of the signal, and leaves the room to others', async () => {
    const { begin, many } = setUp();
    const first = many('a', 2);
    const caller = new AbortController();
    const aborted = begin('a', LONG + 1, caller.signal);
    const other = begin('a');
    const reason = new Error('aborted by test');
    caller.abort(reason);
    await settle();
    expect([aborted.error, aborted.isRead]).toEqual([reason, false]);
    aborted.reading.end();
    first[0]?.reading.end();
    await settle();
    expect(other.isRead).toBe(true);
  });

  it.each([
    ['short', 'x', true, 0],
    ['long', 'x'.repeat(LONG), true, 1],
    ['long', 'x'.repeat(LONG), false, 0],
  ])('parses a %s text in turns of the thread if there are any', async (...given) => {
    const [, text, hasThread, expected] = given;
    let turns = 0;
    const thread = {
      run: <T>(work: () => T): Promise<T> => {
        turns += 1;
        return Promise.resolve(work());
      },
    };
    const responses = new LongResponses({ clock: manualClock(), ...(hasThread && { thread }) });
    expect(
      await responses
        .of('')()
        .parse(text, () => text.length),
    ).toBe(text.length);
    expect(turns).toBe(expected);
  });

  it('has no limit for programs with few requests', async () => {
    const readings = Array.from({ length: 100 }, unbounded);
    await Promise.all(
      readings.map(async (reading) => {
        await reading.add(LONG + 1);
      }),
    );
    expect(readings.every(({ isLong }) => isLong)).toBe(true);
  });

  it('parses short texts of a namespace in turns when it has used up its time', async () => {
    const origins = new Origins();
    let [now, turns] = [0, 0];
    const clock = { ...manualClock(), monotonic: () => now };
    const thread = {
      run: <T>(work: () => T): Promise<T> => {
        turns += 1;
        return Promise.resolve(work());
      },
    };
    const begin = new LongResponses({ clock, origins, thread }).of('https://host');
    const parse = (group: string): unknown =>
      origins.run({ flow: { group, tenant: 'object' }, priority: 'normal' }, () =>
        begin().parse('{}', () => (now += 10)),
      );
    for (let count = 0; count < 2_000; count += 1) await parse('a');
    expect(turns).toBeGreaterThan(1_000);
    const before = turns;
    expect(parse('b')).toBe(now);
    expect(turns).toBe(before);
  });
});
