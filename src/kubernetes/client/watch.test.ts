import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { takeEach } from '../time/async-values.ts';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { collector } from '../informers/collector.fixture.ts';
import { LongResponses } from './long-responses.ts';
import { readWatch } from './watch.ts';

const SILENCE_MS = 75_000;

const lineOf = (name: string, length = 0): string => {
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels: { text: 'x'.repeat(length) } },
  };
  return `${JSON.stringify({ type: 'ADDED', object })}\n`;
};

/** A watch whose events are read. @param responses shared by several watches */
function setUp(clock = manualClock(), given?: LongResponses) {
  let turns = 0;
  const thread = {
    run: <T>(work: () => T): Promise<T> => {
      turns += 1;
      return settle().then(work);
    },
  };
  const responses = given ?? new LongResponses({ clock, thread });
  const source = new PassThrough();
  let isSuspect = false;
  const stream = {
    status: 200,
    headers: {},
    chunks: source,
    close: () => void source.destroy(),
    suspect: () => void (isSuspect = true),
  };
  const begin = responses.of('https://host');
  const reading = { description: 'watch secrets', clock, silenceMs: SILENCE_MS, begin };
  const names: string[] = [];
  const ended = (async () => {
    await takeEach(
      readWatch(stream, reading),
      ({ object }) => names.push(object.metadata.name) > 0,
    );
    return 'ended';
  })().catch((error: unknown) => error);
  const seen = async (count: number): Promise<void> => {
    while (names.length < count) await pause(10);
  };
  return { source, clock, names, seen, ended, turns: () => turns, isSuspect: () => isSuspect };
}

describe('readWatch', () => {
  it('parses events with more than 256 KiB in turns of the thread, and keeps the order', async () => {
    const { source, names, ended, turns } = setUp();
    source.end(lineOf('a') + lineOf('b', 300_000) + lineOf('c') + lineOf('d', 1_000_000));
    expect(await ended).toBe('ended');
    expect(names).toEqual(['a', 'b', 'c', 'd']);
    expect(turns()).toBe(2);
  });

  it('has at most 2 long events of a server in memory, and does not count the wait as silence', async () => {
    const clock = manualClock();
    const responses = new LongResponses({ clock });
    const holders = Array.from({ length: 2 }, responses.of('https://host'));
    await Promise.all(
      holders.map(async (holder) => {
        await holder.add(300_000);
      }),
    );
    const { source, names, isSuspect } = setUp(clock, responses);
    source.write(lineOf('a') + lineOf('b', 300_000));
    await settle();
    await clock.advance(10 * SILENCE_MS);
    expect([names, isSuspect()]).toEqual([['a'], false]);
    holders[0]?.end();
    await settle();
    expect(names).toEqual(['a', 'b']);
  });

  it('closes a watch that does not complete a long event in time, although it sends data', async () => {
    const clock = manualClock();
    const responses = new LongResponses({ clock });
    const { source, ended } = setUp(clock, responses);
    source.write(lineOf('a', 300_000).trimEnd().slice(0, -2));
    for (let second = 0; second < SILENCE_MS / 1_000; second += 1) {
      await settle();
      source.write(' ');
      await clock.advance(1_000);
    }
    expect(await ended).toMatchObject({ code: 'SILENT' });
    const next = Array.from({ length: 2 }, responses.of('https://host'));
    await Promise.all(
      next.map(async (one) => {
        await one.add(300_000);
      }),
    );
  });

  it('goes on while each short event arrives in time', async () => {
    const { source, clock, names, ended, isSuspect } = setUp();
    for (const name of ['a', 'b', 'c']) {
      source.write(lineOf(name));
      await clock.advance(SILENCE_MS - 1);
    }
    source.end();
    expect([await ended, names, isSuspect()]).toEqual(['ended', ['a', 'b', 'c'], false]);
  });

  it('keeps neither an event nor its text while it waits for the next one', async () => {
    const collect = collector();
    const { source, seen } = setUp();
    const before = await collect();
    for (let n = 0; n < 4; n += 1) source.write(lineOf(`large-${String(n)}`, 4_000_000));
    source.write(lineOf('last', 4_000_000));
    await seen(5);
    expect((await collect()) - before).toBeLessThan(2_000_000);
  });
});
