import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../time/clock.fixture.ts';
import { LeaderElection } from './leader.ts';
import { LeaseServer } from '../objects/lease.fixture.ts';
import { microTime } from '../objects/lease.ts';

function candidate(server: LeaseServer, identity: string, clock = manualClock()) {
  const stop = new AbortController();
  const seen = { leads: 0, aborted: '', end: '' };
  const log = memoryLog();
  const election = new LeaderElection({
    client: server.client,
    namespace: 'ns',
    name: 'leader',
    identity,
    clock,
    random: () => 0,
    log,
  });
  const lead = async (term: AbortSignal): Promise<undefined> => {
    seen.leads += 1;
    await new Promise<void>((resolve) => term.addEventListener('abort', () => resolve()));
    seen.aborted = String(term.reason);
  };
  void election.run(lead, stop.signal).then((end) => (seen.end = end));
  return { seen, stop, clock, log };
}

describe('LeaderElection', () => {
  it('renews the lease every two seconds with one write and no read', async () => {
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

  it('keeps the lease when another client modifies the Lease object', async () => {
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

  it('stops leading ten seconds after the last renewal when renewals fail', async () => {
    const server = new LeaseServer();
    const { seen, clock } = candidate(server, 'a');
    await settle();
    await clock.advance(2_000);
    server.state.broken = true;
    await clock.advance(9_999);
    expect(seen.aborted).toBe('');
    await clock.advance(1);
    expect(seen.aborted).toContain('not renewed within the renew deadline');
    expect(seen.end).toBe('lost');
    expect(server.holder()).toBe('a');
  });

  it('keeps leading when the server recovers before the renew deadline', async () => {
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

  it('lets a standby acquire the lease only a full lease duration after the last observed renewal', async () => {
    const server = new LeaseServer();
    const first = candidate(server, 'a');
    await settle();
    const second = candidate(server, 'b');
    await second.clock.advance(30_000 - 1);
    expect(second.seen.leads).toBe(1);
    expect(server.holder()).toBe('b');
    await first.clock.advance(2_000);
    expect(first.seen.aborted).toContain('held by another process');
  });

  it('does not replace a holder that renews', async () => {
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

  it('names its lease in each line of the log', async () => {
    const server = new LeaseServer();
    server.state.broken = true;
    const { clock, stop, log } = candidate(server, 'a');
    await settle();
    server.state.broken = false;
    await clock.advance(2_000);
    server.state.broken = true;
    await clock.advance(2_000);
    stop.abort(new Error('bye'));
    await settle();
    const next = candidate(server, 'b');
    server.state.broken = false;
    await next.clock.advance(20_000);
    server.state.broken = true;
    await next.clock.advance(20_000);
    const lines = [...log.lines, ...next.log.lines];
    for (const verb of ['acquiring', 'acquired', 'renewing', 'releasing', 'lost'])
      expect(lines.filter((line) => line.includes(verb))).not.toHaveLength(0);
    expect(lines.filter((line) => !line.includes('"lease":"ns/leader"'))).toEqual([]);
  });

  it('microTime formats a time with microseconds', () => {
    expect(microTime(Date.parse('2026-01-02T03:04:05.678Z'))).toBe('2026-01-02T03:04:05.678000Z');
  });
});
