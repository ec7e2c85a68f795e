import { describe, expect, it } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { manualClock } from '../time/clock.fixture.ts';
import { ConnectionPool } from './connection-pool.ts';

/** A pool whose dispatcher ends with the promise. */
function poolOf(ended: Promise<void>) {
  const clock = manualClock();
  const dispatcher = { destroy: () => ended } as object as Dispatcher;
  return { clock, pool: new ConnectionPool(dispatcher, clock) };
}

describe('ConnectionPool', () => {
  it('ends although a connection never closes', async () => {
    const { clock, pool } = poolOf(new Promise(() => undefined));
    let isEnded = false;
    const ended = pool.destroy().then(() => (isEnded = true));
    await clock.advance(900);
    expect(isEnded).toBe(false);
    await clock.advance(200);
    await ended;
  });

  it.each([
    ['have closed', () => Promise.resolve()],
    ['fail to close', () => Promise.reject(new Error('x'))],
  ])('ends at once when its connections %s', async (_, end) => {
    const { clock, pool } = poolOf(end());
    await pool.drain();
    expect(clock.pending()).toBe(0);
  });
});
