import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { whenSlow } from './slow-work.ts';
import { BackgroundSlots } from './background-slots.ts';
import { Origins } from './origin.ts';

function setUp(count: number) {
  const clock = manualClock();
  const places = new BackgroundSlots({ clock, count, slowAfterMs: 500 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string): Promise<void> =>
    places.run(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  return { clock, begun, ends, run };
}

describe('BackgroundSlots', () => {
  it('runs tasks in the order of the calls up to the limit', async () => {
    const { begun, ends, run, clock } = setUp(2);
    const all = ['a', 'b', 'c', 'd'].map(run);
    await settle();
    expect(begun).toEqual(['a', 'b']);
    ends.get('b')?.();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c']) ends.get(name)?.();
    await settle();
    ends.get('d')?.();
    await Promise.all(all);
    expect(clock.pending()).toBe(0);
  });

  it('releases the slot of a hanging task once, and not again when that task ends', async () => {
    const { clock, begun, ends, run } = setUp(1);
    for (const name of ['hangs', 'next', 'last']) void run(name);
    await clock.advance(499);
    expect(begun).toEqual(['hangs']);
    await clock.advance(1);
    expect(begun).toEqual(['hangs', 'next']);
    ends.get('hangs')?.();
    await settle();
    expect(begun).toEqual(['hangs', 'next']);
  });

  it('releases the slot when a task fails', async () => {
    const { clock } = setUp(1);
    const places = new BackgroundSlots({ clock, count: 1, slowAfterMs: 500 });
    await expect(places.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await places.run(() => Promise.resolve('done'))).toBe('done');
  });
});

/** Tasks of namespaces, which the test ends. */
function shared(options: { readonly count: number; readonly groupCount?: number }) {
  const clock = manualClock();
  const slots = new BackgroundSlots({ clock, slowAfterMs: 500, ...options });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal?: AbortSignal): Promise<void> =>
    slots.run(
      async (release) => {
        begun.push(name);
        ends.set(`${name} slot`, release);
        await new Promise<void>((resolve) => ends.set(name, resolve));
      },
      { flow: { group: name.slice(0, 1), tenant: '' }, ...(signal && { signal }) },
    );
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settle();
  };
  return { clock, begun, run, end };
}

describe('slots that namespaces share', () => {
  it('serves a namespace with one task before the remaining tasks of another one', async () => {
    const origins = new Origins();
    const places = new BackgroundSlots({ clock: manualClock(), count: 1, origins });
    const begun: string[] = [];
    const run = (group: string, name: string): Promise<void> =>
      origins.run({ flow: { group, tenant: name }, priority: 'normal' }, () =>
        places.run(async () => {
          begun.push(name);
          await settle();
        }),
      );
    const crowd = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name));
    await Promise.all([...crowd, run('b', 'b1')]);
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
  });

  it('leaves slots to other namespaces, also while tasks of one hang', async () => {
    const { clock, begun, run, end } = shared({ count: 4, groupCount: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name);
    await clock.advance(10_000);
    for (const name of ['b1', 'c1', 'd1']) void run(name);
    await settle();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
    await end('a2');
    expect(begun.slice(5)).toEqual(['a3']);
  });

  it('serves the namespace with the fewest tasks first', async () => {
    const { begun, run, end } = shared({ count: 3 });
    for (const name of ['a1', 'a2', 'b1', 'a3', 'b2', 'c1']) void run(name);
    await settle();
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  it('serves the next task when one releases its slot early, but not of the same namespace', async () => {
    const { begun, run, end } = shared({ count: 1, groupCount: 1 });
    for (const name of ['a1', 'a2', 'b1', 'c1']) void run(name);
    await settle();
    await end('a1 slot');
    await end('a1 slot');
    expect(begun).toEqual(['a1', 'b1']);
    await end('a1');
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('c1');
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('does not run a task whose signal is aborted before a slot is free', async () => {
    const { begun, run, end, clock } = shared({ count: 1 });
    const abort = new AbortController();
    const running = run('a1', abort.signal);
    const [waiting, last] = [run('a2', abort.signal), run('a3')];
    abort.abort();
    await expect(waiting).rejects.toHaveProperty('name', 'AbortError');
    await expect(run('a4', abort.signal)).rejects.toHaveProperty('name', 'AbortError');
    await end('a1');
    await end('a3');
    await Promise.all([running, last]);
    expect([begun, clock.pending()]).toEqual([['a1', 'a3'], 0]);
  });
});

describe('whenSlow', () => {
  it('restarts the timer when it fires late because the event loop was overloaded', () => {
    const timers: (() => void)[] = [];
    let now = 0;
    let over = 0;
    const after = (_: number, action: () => void): (() => void) => {
      timers.push(action);
      return () => undefined;
    };
    whenSlow({ monotonic: () => now, after }, 500, () => (over += 1));
    now = 600;
    timers.shift()?.();
    expect(over).toBe(0);
    now = 1_110;
    timers.shift()?.();
    expect(over).toBe(1);
    expect(timers).toEqual([]);
  });
});
