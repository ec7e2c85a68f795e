import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from './clock.fixture.ts';
import { afterPatience } from './slow-work.ts';
import { BackgroundSlots } from './background-slots.ts';
import { Origins } from './origin.ts';

function setUp(count: number) {
  const clock = manualClock();
  const places = new BackgroundSlots({ clock, count, patienceMs: 500 });
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
    const places = new BackgroundSlots({ clock, count: 1, patienceMs: 500 });
    await expect(places.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await places.run(() => Promise.resolve('done'))).toBe('done');
  });
});

describe('afterPatience', () => {
  it('restarts the timer when it fires late because the event loop was overloaded', () => {
    const timers: (() => void)[] = [];
    let now = 0;
    let over = 0;
    const after = (_: number, action: () => void): (() => void) => {
      timers.push(action);
      return () => undefined;
    };
    afterPatience({ monotonic: () => now, after }, 500, () => (over += 1));
    now = 600;
    timers.shift()?.();
    expect(over).toBe(0);
    now = 1_110;
    timers.shift()?.();
    expect(over).toBe(1);
    expect(timers).toEqual([]);
  });

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
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });
});
