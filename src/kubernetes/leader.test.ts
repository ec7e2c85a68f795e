import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from './clock.fixture.ts';
import { LeaderElection } from './leader.ts';
import { LeaseServer } from './lease.fixture.ts';
import { microTime } from './lease.ts';

function candidate(server: LeaseServer, identity: string, clock = manualClock()) {
  const stop = new AbortController();
  const seen = { leads: 0, aborted: '', end: '' };
  const election = new LeaderElection({
    client: server.client,
    namespace: 'ns',
    name: 'leader',
    identity,
    clock,
    random: () => 0,
    log: memoryLog(),
  });
  const lead = async (term: AbortSignal): Promise<void> => {
    seen.leads += 1;
    await new Promise<void>((resolve) => term.addEventListener('abort', () => resolve()));
    seen.aborted = String(term.reason);
  };
  void election.run(lead, stop.signal).then((end) => (seen.end = end));
  return { seen, stop, clock };
}

describe('leader election', () => {
  it('renews every two seconds with one write and no read', async () => {
    const server = new LeaseServer();
    const { seen, clock, stop } = candidate(server, 'a');
    await settle();
    expect(seen.leads).toBe(1);
    const { finds, writes } = server.state;
    await clock.advance(60_000);
    expect(server.state).toMatchObject({ finds, writes: writes + 30 });
    stop.abort(new Error('bye'));
    await settle();
    expect(seen).toMatchObject({ aborted: 'Error: bye', end: 'released' });
    expect(server.holder()).toBe('');
    expect(clock.pending()).toBe(0);
  });

  it('a lease that somebody touched is not a lost one', async () => {
    const server = new LeaseServer();
    const { seen, clock } = candidate(server, 'a');
    await settle();
    for (let i = 0; i < 10; i += 1) {
      server.touch({ annotated: i });
      await clock.advance(3_000);
    }
    expect(seen.aborted).toBe('');
    expect(server.holder()).toBe('a');
  });

  it('gives up ten seconds after its last renewal, not later', async () => {
    const server = new LeaseServer();
    const { seen, clock } = candidate(server, 'a');
    await settle();
    await clock.advance(2_000);
    server.state.broken = true;
    await clock.advance(9_999);
    expect(seen.aborted).toBe('');
    await clock.advance(1);
    expect(seen.aborted).toContain('could not be renewed');
    expect(seen.end).toBe('lost');
    expect(server.holder()).toBe('a');
  });

  it('goes on when the server comes back in time', async () => {
    const server = new LeaseServer();
    const { seen, clock } = candidate(server, 'a');
    await settle();
    for (let i = 0; i < 5; i += 1) {
      server.state.broken = true;
      await clock.advance(7_000);
      server.state.broken = false;
      await clock.advance(5_000);
    }
    expect(seen.aborted).toBe('');
  });

  it('a standby waits the full lease from the moment it saw the last change', async () => {
    const server = new LeaseServer();
    const first = candidate(server, 'a');
    await settle();
    const second = candidate(server, 'b');
    await second.clock.advance(30_000 - 1);
    expect(second.seen.leads).toBe(1);
    expect(server.holder()).toBe('b');
    await first.clock.advance(2_000);
    expect(first.seen.aborted).toContain('another process holds it');
  });

  it('a holder that renews is never replaced', async () => {
    const server = new LeaseServer();
    const first = candidate(server, 'a');
    await settle();
    const second = candidate(server, 'b');
    for (let i = 0; i < 60; i += 1) {
      await first.clock.advance(2_000);
      await second.clock.advance(2_000);
    }
    expect([first.seen.leads, second.seen.leads]).toEqual([1, 0]);
  });

  it('writes times with microseconds', () => {
    expect(microTime(Date.parse('2026-01-02T03:04:05.678Z'))).toBe('2026-01-02T03:04:05.678000Z');
  });
});
