import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { ReceivedData } from './received-data.ts';
import { ThreadShares } from './thread-shares.ts';

const HANDSHAKE_MS = 600;

function setUp() {
  const timer = manualClock();
  let busy = 0;
  const clock = {
    after: (ms: number, action: () => void) => timer.after(ms, action),
    wall: () => timer.wall(),
    monotonic: () => timer.monotonic() + busy,
  };
  const received = new ReceivedData(clock, new ThreadShares(clock));
  const handled: string[] = [];
  /** Receives data that takes `ms` milliseconds to handle. */
  const receive = (
    namespace: string,
    ms = HANDSHAKE_MS,
    signal = new AbortController().signal,
  ): Promise<void> =>
    received.of(namespace)(() => {
      handled.push(namespace);
      busy += ms;
    }, signal);
  return { timer, handled, receive };
}

describe('ReceivedData', () => {
  it('handles the handshakes with a hundred honest host clusters of a namespace at once', () => {
    const { handled, receive } = setUp();
    for (let count = 0; count < 300; count += 1) void receive('a', 3);
    expect(handled).toHaveLength(300);
  });

  it('handles a second of a namespace at once, and then a fifth of the time in turns', async () => {
    const { timer, handled, receive } = setUp();
    for (let count = 0; count < 100; count += 1) void receive('a');
    await settle();
    // Two within the second, and the first turn.
    expect(handled).toHaveLength(3);
    await timer.advance(30_000);
    expect(handled.length).toBeGreaterThanOrEqual(12);
    expect(handled.length).toBeLessThanOrEqual(16);
  });

  it('handles the data of another namespace at once meanwhile', async () => {
    const { handled, receive } = setUp();
    for (let count = 0; count < 100; count += 1) void receive('a');
    await settle();
    void receive('b', 3);
    expect(handled.at(-1)).toBe('b');
  });

  it('handles a second of many namespaces at once, and then lets them take turns', async () => {
    const { timer, handled, receive } = setUp();
    for (let index = 0; index < 20; index += 1) void receive(`n${index}`);
    await settle();
    expect(handled).toHaveLength(4);
    void receive('honest', 3);
    await timer.advance(20 * 2 * HANDSHAKE_MS);
    expect(handled).toHaveLength(21);
  });

  it('does not handle the data of a connection that is closed while it waits', async () => {
    const { timer, handled, receive } = setUp();
    for (let count = 0; count < 4; count += 1) void receive('a');
    const closed = new AbortController();
    const waiting = receive('b', 3);
    const late = receive('a', 3, closed.signal);
    closed.abort();
    await expect(late).rejects.toHaveProperty('name', 'AbortError');
    await waiting;
    await timer.advance(60_000);
    expect([handled.length, timer.pending()]).toEqual([5, 0]);
  });
});
