import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { LeaderElection } from '../../../src/kubernetes/leader-election/leader.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually, memoryLog } from '../../harness/servers/apiserver-client.ts';
import { startProxy } from './proxy.ts';

let api: ApiServer;
let client: KubernetesClient;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api);
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

const times = { leaseMs: 3_000, renewDeadlineMs: 2_000, retryMs: 300 };

interface Candidate {
  readonly events: string[];
  readonly stop: AbortController;
  readonly ended: Promise<string>;
}

/** A candidate that leads until its term ends, and then calls `wrapUp` for its last write. */
function candidate(
  name: string,
  identity: string,
  own = client,
  wrapUp = async () => {},
): Candidate {
  const events: string[] = [];
  const stop = new AbortController();
  const election = new LeaderElection({
    client: own,
    namespace: 'default',
    name,
    identity,
    clock: systemClock,
    random: Math.random,
    log: memoryLog(),
    times,
  });
  const lead = async (term: AbortSignal): Promise<undefined> => {
    events.push('leads');
    await new Promise<void>((resolve) => term.addEventListener('abort', () => resolve()));
    events.push('aborted');
    await wrapUp();
    events.push('ended');
  };
  return { events, stop, ended: election.run(lead, stop.signal) };
}

async function holder(name: string): Promise<unknown> {
  const lease = await client.find(resources.Lease, { namespace: 'default', name });
  return (lease?.spec as { holderIdentity?: string } | undefined)?.holderIdentity;
}

describe('LeaderElection', () => {
  it('releases the lease to the next candidate only after the last write of a leader that stops', async () => {
    let released = false;
    let free: () => void = () => undefined;
    const lastWrite = new Promise<void>((resolve) => {
      free = resolve;
    });
    const first = candidate('orderly', 'a', client, () => lastWrite);
    await eventually('a leads', () => first.events.includes('leads'));
    const second = candidate('orderly', 'b');
    first.stop.abort();
    await eventually('a is aborted', () => first.events.includes('aborted'));
    expect(await holder('orderly')).toBe('a');
    expect(second.events).toEqual([]);
    released = true;
    free();
    expect(await first.ended).toBe('released');
    await eventually('b leads', () => second.events.includes('leads'));
    expect(released).toBe(true);
    expect(await holder('orderly')).toBe('b');
    second.stop.abort();
    expect(await second.ended).toBe('released');
    expect(await holder('orderly')).toBe('');
  });

  it('acquires the lease of a dead holder whatever times the holder wrote', async () => {
    await client.create({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'default', name: 'dead' },
      spec: {
        holderIdentity: 'dead',
        leaseDurationSeconds: 1,
        renewTime: '2099-01-01T00:00:00.000000Z',
        acquireTime: '2099-01-01T00:00:00.000000Z',
        leaseTransitions: 4,
      },
    });
    const heir = candidate('dead', 'heir');
    await eventually('the heir leads', () => heir.events.includes('leads'));
    const lease = await client.get(resources.Lease, { namespace: 'default', name: 'dead' });
    expect(lease.spec).toMatchObject({ leaseTransitions: 5, holderIdentity: 'heir' });
    heir.stop.abort();
    await heir.ended;
  });

  it('gives up the lease before another candidate leads when the leader cannot reach the API server', async () => {
    const proxy = await startProxy(api.port);
    const own = adminClient(api, { server: proxy.url });
    const first = candidate('cut-off', 'a', own);
    await eventually('a leads', () => first.events.includes('leads'));
    const second = candidate('cut-off', 'b');
    const order: string[] = [];
    void first.ended.then((end) => order.push(`a ${end}`));
    await proxy.close();
    await eventually('b leads', () => {
      if (second.events.includes('leads')) order.push('b leads');
      return second.events.includes('leads');
    });
    expect(order).toEqual(['a lost', 'b leads']);
    second.stop.abort();
    await second.ended;
    await own.close();
  });

  it('stops immediately and keeps the lease unchanged when another process has taken the lease', async () => {
    const first = candidate('taken', 'a');
    await eventually('a leads', () => first.events.includes('leads'));
    const key = { namespace: 'default', name: 'taken' };
    await client.patch(resources.Lease, key, { spec: { holderIdentity: 'thief' } });
    expect(await first.ended).toBe('lost');
    expect(first.events).toEqual(['leads', 'aborted', 'ended']);
    expect(await holder('taken')).toBe('thief');
  });

  it('does not change the lease when a standby stops', async () => {
    const leader = candidate('standby', 'a');
    await eventually('a leads', () => leader.events.includes('leads'));
    const waiting = candidate('standby', 'b');
    waiting.stop.abort();
    expect(await waiting.ended).toBe('stopped');
    expect(await holder('standby')).toBe('a');
    leader.stop.abort();
    await leader.ended;
  });
});
