import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../kubernetes/time/clock.fixture.ts';
import { LeaseServer } from '../kubernetes/objects/lease.fixture.ts';
import { leadAsOneOperator } from './one-operator.ts';

function installation({ client }: LeaseServer, name: string, clock = manualClock()) {
  const stop = new AbortController();
  const seen = { leads: false, waits: false, end: '' };
  const log = memoryLog();
  const lead = async (term: AbortSignal): Promise<undefined> => {
    seen.leads = true;
    await new Promise<void>((resolve) => term.addEventListener('abort', () => resolve()));
    seen.leads = false;
  };
  const own = { namespace: 'karmada-system', name };
  const onWaiting = (waits: boolean): void => void (seen.waits = waits);
  void leadAsOneOperator(
    { client, installation: own, clock, random: () => 0, log, onWaiting },
    lead,
    stop.signal,
  ).then((end) => (seen.end = end));
  return { seen, stop, clock, log };
}

describe('leadAsOneOperator', () => {
  it('keeps a second installation waiting until the first one stops', async () => {
    const server = new LeaseServer();
    const first = installation(server, 'one');
    await settle();
    expect(first.seen).toEqual({ leads: true, waits: false, end: '' });
    const second = installation(server, 'two');
    await settle();
    expect(second.seen).toEqual({ leads: false, waits: true, end: '' });
    for (let i = 0; i < 20; i += 1) {
      await first.clock.advance(5_000);
      await second.clock.advance(5_000);
    }
    expect(second.seen.leads).toBe(false);
    first.stop.abort();
    await settle();
    expect(first.seen).toEqual({ leads: false, waits: false, end: 'ended' });
    await second.clock.advance(5_000);
    expect(second.seen).toEqual({ leads: true, waits: false, end: '' });
    expect(server.holder()).toBe('karmada-system/two');
  });

  it('lets another process of the same installation lead without waiting', async () => {
    const server = new LeaseServer();
    installation(server, 'one');
    await settle();
    const successor = installation(server, 'one');
    await settle();
    expect(successor.seen).toEqual({ leads: true, waits: false, end: '' });
  });

  it('replaces an installation that hangs, and returns lost when that installation resumes', async () => {
    const server = new LeaseServer();
    const first = installation(server, 'one');
    await settle();
    const second = installation(server, 'two');
    await second.clock.advance(31_000);
    expect(second.seen.leads).toBe(true);
    await first.clock.advance(5_000);
    expect(first.seen).toEqual({ leads: false, waits: false, end: 'lost' });
  });

  it('leads without the lease when RBAC denies access to it', async () => {
    const server = new LeaseServer();
    server.state.forbidden = true;
    const only = installation(server, 'one');
    await settle();
    expect(only.seen.leads).toBe(true);
    expect(JSON.stringify(only.log)).toContain('cannot detect another operator');
    only.stop.abort();
    await settle();
    expect(only.seen.end).toBe('ended');
  });
});
