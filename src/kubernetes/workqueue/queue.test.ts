import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { UNLIMITED, type QueueShares } from '../fairness/queue-shares.ts';
import { WorkQueue } from './queue.ts';

function newQueue() {
  const clock = manualClock();
  const queue = new WorkQueue({ clock, random: () => 0.5, backoff: { base: 100, max: 1_000 } });
  return { clock, queue };
}

describe('WorkQueue', () => {
  it('hands out keys in order, and a key once when it was added several times', async () => {
    const { queue } = newQueue();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect(queue.length).toBe(2);
    expect([await queue.take(), await queue.take()]).toEqual(['a', 'b']);
  });

  it('hands out a key again only after done when it was added while in progress', async () => {
    const { queue } = newQueue();
    queue.add('a');
    await queue.take();
    queue.add('a');
    let again: string | undefined = 'none';
    void queue.take().then((key) => (again = key));
    await settle();
    expect(again).toBe('none');
    queue.done('a');
    await settle();
    expect(again).toBe('a');
  });

  it('hands a new key to a waiting worker at once', async () => {
    const { queue } = newQueue();
    const waiting = queue.take();
    queue.add('a');
    expect(await waiting).toBe('a');
    expect(queue.length).toBe(0);
  });

  it('uses the earliest time when a key is added with several delays', async () => {
    const { queue, clock } = newQueue();
    queue.addAfter('a', 500);
    queue.addAfter('a', 200);
    queue.addAfter('a', 900);
    await clock.advance(199);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    expect(await queue.take()).toBe('a');
    await clock.advance(5_000);
    expect(queue.length).toBe(0);
    queue.addAfter('b', 0);
    expect(queue.length).toBe(1);
  });

  it('increases the backoff per key up to the maximum, and resets it after forget', () => {
    const { queue } = newQueue();
    const pauses = Array.from({ length: 6 }, () => queue.addRateLimited('a'));
    expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(queue.addRateLimited('b')).toBe(100);
    expect(queue.failures('a')).toBe(6);
    queue.forget('a');
    expect(queue.addRateLimited('a')).toBe(100);
    expect(queue.addRateLimited('a', 5_000)).toBe(5_000);
  });

  it('accepts no keys, cancels timers and waits for keys in progress when it shuts down', async () => {
    const { queue, clock } = newQueue();
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    await queue.take();
    const idleWorker = new WorkQueue({ clock, random: () => 0 }).take();
    let down = false;
    const ending = queue.shutDown().then(() => (down = true));
    queue.add('d');
    queue.addAfter('e', 1);
    await clock.advance(100);
    expect(down).toBe(false);
    expect(await queue.take()).toBeUndefined();
    queue.done('a');
    await ending;
    expect(queue.length).toBe(0);
    expect(clock.pending()).toBe(0);
    void idleWorker;
  });

  it('returns undefined to waiting workers when it shuts down', async () => {
    const { queue } = newQueue();
    const waiting = [queue.take(), queue.take()];
    await queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  it('hands each key to one worker at most and loses none for arbitrary sequences of calls', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), key: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ do: fc.constant('take' as const), key: fc.constant('') }),
      fc.record({ do: fc.constant('done' as const), key: fc.constantFrom('a', 'b', 'c') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { queue } = newQueue();
        const busy = new Set<string>();
        const wanted = new Set<string>();
        const taken = (key: string | undefined): void => {
          if (key === undefined) return;
          expect(busy.has(key)).toBe(false);
          busy.add(key);
          wanted.delete(key);
        };
        for (const { do: action, key } of steps) {
          if (action === 'add') {
            queue.add(key);
            wanted.add(key);
          } else if (action === 'take' && queue.length > 0) taken(await queue.take());
          else if (action === 'done' && busy.delete(key)) queue.done(key);
        }
        for (const key of busy) queue.done(key);
        busy.clear();
        while (queue.length > 0) taken(await queue.take());
        expect([...wanted]).toEqual([]);
      }),
    );
  });
});

/** A queue with shares, and the keys that a worker has taken, in their order. The worker ends none of them. */
function takingAll(shares: QueueShares) {
  const clock = manualClock();
  const queue = new WorkQueue({ clock, random: () => 0.5, shares });
  const taken: string[] = [];
  void (async () => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) taken.push(key);
  })();
  return { clock, queue, taken };
}

describe('WorkQueue with tenants of one group', () => {
  function withPriorities(bounds: { width: number; total: number }) {
    const of = (key: string) => ({ group: '', tenant: key.charAt(0) });
    return takingAll({ of, slowAfterMs: 500, max: UNLIMITED.max, ...bounds });
  }

  it('limits the keys of all partitions together, and serves each partition once before any twice', async () => {
    const { queue, taken } = withPriorities({ width: 2, total: 3 });
    for (const key of ['a1', 'a2', 'a3', 'b1', 'c1', 'd1']) queue.add(key);
    await settle();
    expect(taken).toEqual(['a1', 'b1', 'c1']);
    for (const [done, next] of [
      ['a1', 'd1'],
      ['b1', 'a2'],
      ['c1', 'a3'],
    ] as const) {
      queue.done(done);
      await settle();
      expect(taken.at(-1)).toBe(next);
    }
  });

  it('serves the least recently served partition first when none has a key in progress', async () => {
    const { queue, taken } = withPriorities({ width: 1, total: 1 });
    for (const key of ['a1', 'a2', 'a3', 'b1', 'b2']) queue.add(key);
    for (const expected of ['a1', 'b1', 'a2', 'b2', 'a3']) {
      await settle();
      expect(taken.at(-1)).toBe(expected);
      queue.done(expected);
    }
  });

  it('excludes a key from both limits when it is in progress for longer than slowAfterMs', async () => {
    const { clock, queue, taken } = withPriorities({ width: 1, total: 2 });
    for (const key of ['a1', 'b1', 'a2', 'c1']) queue.add(key);
    await clock.advance(499);
    expect(taken).toEqual(['a1', 'b1']);
    await clock.advance(1);
    expect(taken.toSorted()).toEqual(['a1', 'a2', 'b1', 'c1']);
    // A key that is still in progress is not handed out a second time.
    queue.add('a1');
    await clock.advance(10_000);
    expect(taken).toHaveLength(4);
    for (const key of ['a1', 'b1', 'a2', 'c1']) queue.done(key);
    await settle();
    expect(taken.at(-1)).toBe('a1');
    queue.done('a1');
    expect(clock.pending()).toBe(0);
  });

  it('never exceeds the limits and processes all keys for arbitrary sequences of calls', async () => {
    const keys = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
    const step = fc.record({
      do: fc.constantFrom('add', 'done'),
      key: fc.constantFrom(...keys),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { queue, taken } = withPriorities({ width: 2, total: 3 });
        const busy = new Set<string>();
        const sync = async (): Promise<void> => {
          await settle();
          for (const key of taken.splice(0)) busy.add(key);
          expect(busy.size).toBeLessThanOrEqual(3);
          expect([...busy].filter((key) => key.startsWith('a')).length).toBeLessThanOrEqual(2);
        };
        for (const { do: action, key } of steps) {
          if (action === 'add') queue.add(key);
          else if (busy.delete(key)) queue.done(key);
          await sync();
        }
        for (let rounds = 0; busy.size > 0 && rounds < keys.length * 2; rounds += 1) {
          for (const key of [...busy]) if (busy.delete(key)) queue.done(key);
          await sync();
        }
        expect([queue.length, busy.size]).toEqual([0, 0]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('WorkQueue with groups', () => {
  /** Keys are `<group><tenant><number>`. Each key stays in progress until `done`. */
  function setUp(given: { tenant: number; group: number; total: number }) {
    const of = (key: string) => ({ group: key.charAt(0), tenant: key.charAt(1) });
    const max = { host: Infinity, ...given };
    return takingAll({ of, width: 2, total: 5, slowAfterMs: 200, max });
  }

  it('serves a tenant with one key next, although another one has hundreds of keys that hang', async () => {
    const { clock, queue, taken } = setUp({ tenant: 16, group: 64, total: 128 });
    for (let count = 0; count < 300; count += 1) queue.add(`ax${String(count)}`);
    await clock.advance(10_000);
    expect(taken).toHaveLength(16);
    queue.add('ay1');
    await settle();
    expect(taken.at(-1)).toBe('ay1');
  });

  it('serves a tenant with one key next, although another one adds its keys again and again', async () => {
    const { queue, taken } = setUp({ tenant: 16, group: 64, total: 128 });
    const hot = Array.from({ length: 50 }, (_, index) => `ax${String(index)}`);
    for (const key of hot) queue.add(key);
    await settle();
    for (let round = 0; round < 20; round += 1) {
      const key = taken.shift() ?? '';
      queue.add(key);
      queue.done(key);
      await settle();
    }
    queue.add('ay1');
    queue.done(taken.shift() ?? '');
    await settle();
    expect(taken.slice(-2)).toContain('ay1');
  });

  it('limits the keys in progress of a group and of all groups', async () => {
    const { clock, queue, taken } = setUp({ tenant: 100, group: 4, total: 6 });
    for (const group of ['a', 'b', 'c'])
      for (let count = 0; count < 10; count += 1) queue.add(`${group}x${String(count)}`);
    await clock.advance(10_000);
    const of = (group: string) => taken.filter((key) => key.startsWith(group)).length;
    expect(taken).toHaveLength(6);
    expect([of('a'), of('b'), of('c')]).toEqual([2, 2, 2]);
    for (const key of taken.splice(0)) if (!key.startsWith('a')) queue.done(key);
    await clock.advance(10_000);
    expect(of('a') + 2).toBeLessThanOrEqual(4);
  });

  it('leaves half of the room to keys of normal priority', async () => {
    const { clock, queue, taken } = setUp({ tenant: 100, group: 8, total: 100 });
    for (let count = 0; count < 20; count += 1) queue.add(`ax${String(count)}`, 'low');
    await clock.advance(10_000);
    expect(taken).toHaveLength(4);
    queue.add('ax15');
    await settle();
    expect(taken.slice(4)).toEqual(['ax15']);
  });

  it('takes a key of high priority, although all room is used by others', async () => {
    const { clock, queue, taken } = setUp({ tenant: 8, group: 8, total: 8 });
    for (let count = 0; count < 20; count += 1) queue.add(`ax${String(count)}`);
    await clock.advance(10_000);
    expect(taken).toHaveLength(8);
    queue.add('by1', 'high');
    await settle();
    expect(taken.slice(8)).toEqual(['by1']);
  });

  it('raises the priority of a key in progress when it is added again', async () => {
    const { queue, taken } = setUp({ tenant: 100, group: 100, total: 100 });
    queue.add('ax1', 'low');
    await settle();
    expect([taken, queue.priorityOf('ax1')]).toEqual([['ax1'], 'low']);
    queue.add('ax1', 'low');
    expect(queue.priorityOf('ax1')).toBe('low');
    queue.add('ax1');
    expect(queue.priorityOf('ax1')).toBe('normal');
  });

  describe('whose keys belong to as many tenants as it likes', () => {
    const EVIL = Array.from({ length: 600 }, (_, index) => `evil/host${String(index)}/k`);
    const max = { tenant: 16, group: 32, host: 64, total: 128 };
    const setUpHosts = () => {
      const of = (key: string) => {
        const [group = '', tenant = ''] = key.split('/');
        return { group, tenant };
      };
      return takingAll({ of, width: 5, total: 5, slowAfterMs: 200, max });
    };

    it('has a limit, and leaves room to other groups while its keys hang', async () => {
      const { clock, queue, taken } = setUpHosts();
      for (const key of EVIL) queue.add(key);
      await clock.advance(60_000);
      expect(taken).toHaveLength(max.group);
      queue.add('good//k');
      await settle();
      expect(taken.at(-1)).toBe('good//k');
    });

    it('has one turn for each of another group', async () => {
      const { queue, taken } = setUpHosts();
      for (const key of EVIL) queue.add(key);
      await settle();
      for (const key of ['good//1', 'good//2', 'good//3']) queue.add(key);
      for (const key of taken.slice()) queue.done(key);
      await settle();
      expect(taken.slice(5).filter((key) => key.startsWith('good'))).toHaveLength(3);
    });
  });
});
