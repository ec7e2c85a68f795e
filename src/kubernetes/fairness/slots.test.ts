import { describe, expect, it } from '@jest/globals';
import { settle } from '../time/clock.fixture.ts';
import { Slots } from './slots.ts';

function setUp(count: number) {
  const slots = new Slots(count);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (key: string, name: string): Promise<string> =>
    slots.run(key, () => {
      started.push(name);
      return new Promise((resolve) => ends.push(() => resolve(name)));
    });
  return { slots, started, run, end: () => ends.shift()?.() };
}

describe('Slots', () => {
  it('runs as many tasks of a key as it has slots, and the others in their order', async () => {
    const { started, run, end } = setUp(2);
    const done = ['1', '2', '3', '4'].map((name) => run('a', name));
    await settle();
    expect(started).toEqual(['1', '2']);
    end();
    await settle();
    expect(started).toEqual(['1', '2', '3']);
    for (let round = 0; round < 3; round += 1) {
      end();
      await settle();
    }
    expect(await Promise.all(done)).toEqual(['1', '2', '3', '4']);
  });

  it('does not delay the tasks of other keys', async () => {
    const { started, run } = setUp(1);
    for (const name of ['1', '2']) void run('a', name);
    void run('b', '3');
    await settle();
    expect(started).toEqual(['1', '3']);
  });

  it('frees the slot of a task that fails', async () => {
    const { slots } = setUp(1);
    await expect(slots.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.run('a', () => Promise.resolve(1))).toBe(1);
  });
});
