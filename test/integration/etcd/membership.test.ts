/** Integration tests with real etcd members: changes of the membership, maintenance, and facts that the operator uses. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withEtcd, type EtcdClient } from '../../../src/etcd/client.ts';
import { openTls } from '../../../src/etcd/dial.ts';
import { errorKindOf, nextStepOf, type EtcdErrorKind } from '../../../src/etcd/error-kinds.ts';
import { callUnary, openSession } from '../../../src/etcd/grpc.ts';
import type { EtcdAlarm } from '../../../src/etcd/messages.ts';
import { queryMember } from '../../../src/etcd/query-member.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import { EtcdProcesses } from '../../harness/servers/etcd-processes.ts';

const [ZERO, ONE, TWO] = ['etcd-0', 'etcd-1', 'etcd-2'] as const;

let etcds: EtcdProcesses;

const ask = <T>(
  name: string,
  use: (client: EtcdClient) => Promise<T>,
  signal = AbortSignal.timeout(60_000),
): Promise<T> => withEtcd(etcds.target(name), signal, use);

/** Repeats a call while etcd rejects it only for now. */
async function untilAccepted<T>(name: string, use: (client: EtcdClient) => Promise<T>): Promise<T> {
  let seen = '';
  const attempt = async (): Promise<{ readonly result: T } | undefined> => {
    try {
      return { result: await ask(name, use) };
    } catch (error) {
      if (nextStepOf(error) !== 'retry') throw error;
      seen = String(error);
      return undefined;
    }
  };
  const { result } = await eventually(`${name} accepts the request`, attempt, () => seen);
  return result;
}

/** Starts a cluster of one voter. @returns its ID */
async function startVoter(flags: readonly string[] = []): Promise<string> {
  await etcds.allocate([ZERO, ONE, TWO]);
  etcds.start(ZERO, { cluster: [ZERO], flags });
  const { memberId } = await untilServing(ZERO);
  return memberId;
}

/** Adds the second member as a learner and starts it. @returns its ID */
async function startLearner(): Promise<string> {
  const { addedId } = await ask(ZERO, (etcd) => etcd.addLearner(etcds.peerURL(ONE)));
  etcds.start(ONE, { cluster: [ZERO, ONE], state: 'existing' });
  return addedId;
}

/** Waits until a quorum confirms the member list of a member. */
const untilServing = (name: string): ReturnType<EtcdClient['memberList']> =>
  eventually(`${name} serves`, () =>
    ask(name, async (etcd) => {
      await etcd.readWithQuorum();
      return etcd.memberList({ linearizable: true });
    }).catch(() => undefined),
  );

const errorOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Status code and body of a health endpoint; undefined while the member does not listen. */
async function health(name: string, path: string): Promise<readonly [number, string] | undefined> {
  const url = `${etcds.metricsURL(name)}${path}`;
  const response = await fetch(url).catch(() => undefined);
  return response && [response.status, await response.text()];
}

/** Writes a key, which the operator never does. */
async function put(name: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const { tls } = etcds.target(name);
  if (tls === undefined) throw new Error('no TLS');
  const stream = await openTls(await etcds.dial(name)(signal), tls, signal);
  const session = openSession(stream);
  try {
    const message = Buffer.from('0a016b120176', 'hex');
    await callUnary(session, { path: '/etcdserverpb.KV/Put', message });
  } finally {
    session.destroy();
    stream.destroy();
  }
}

beforeAll(async () => {
  etcds = await EtcdProcesses.create('etcd.team.svc');
}, 600_000);

afterAll(() => etcds.close());

beforeEach(() => etcds.stopAll());

it('a learner becomes the voter that replaces the first member', async () => {
  const first = await startVoter();
  await put(ZERO);
  const second = await startLearner();
  await untilAccepted(ZERO, (etcd) => etcd.promote(second));
  const { members } = await untilServing(ONE);
  expect(members.map(({ name, isLearner }) => [name, isLearner]).sort()).toEqual([
    [ZERO, false],
    [ONE, false],
  ]);

  const { revision } = await ask(ZERO, (etcd) => etcd.status());
  expect(revision).toBe('2');
  const hashes = await Promise.all(
    [ZERO, ONE].map((name) => ask(name, (etcd) => etcd.hashKV(revision))),
  );
  expect(hashes[0]).toMatchObject({ compactRevision: '-1', hashRevision: '2' });
  expect(hashes[1]).toEqual(hashes[0]);

  expect(errorKindOf(await errorOf(ask(ONE, (etcd) => etcd.moveLeader(second))))).toBe('notLeader');
  await ask(ZERO, (etcd) => etcd.moveLeader(second));
  expect(await ask(ONE, (etcd) => etcd.status())).toMatchObject({ leaderId: second });

  // etcd rejects the removal until both members have been connected for 5 s.
  const left = await untilAccepted(ONE, (etcd) => etcd.removeMember(first));
  expect(left.members.map(({ id }) => id)).toEqual([second]);
  await eventually('the removed member exits', () => etcds.server(ZERO).ended());
  expect((await untilServing(ONE)).members).toHaveLength(1);
});

it('a learner responds to its status only, and only /readyz tells that it does not serve', async () => {
  await startVoter();
  const second = await startLearner();
  const status = await eventually('the learner responds', () =>
    ask(ONE, (etcd) => etcd.status()).catch(() => undefined),
  );
  expect(status).toMatchObject({ memberId: second, isLearner: true });
  const refused = await Promise.all([
    errorOf(ask(ONE, (etcd) => etcd.memberList({ linearizable: false }))),
    errorOf(ask(ONE, (etcd) => etcd.alarms())),
    errorOf(ask(ONE, (etcd) => etcd.hashKV('0'))),
    errorOf(ask(ONE, (etcd) => etcd.readWithQuorum())),
  ]);
  expect(refused.map(errorKindOf)).toEqual(refused.map(() => 'queriedLearner'));

  // The probe of the template must be /readyz: /health reads inside etcd, where the learner is not refused.
  await eventually(
    '/health of the learner',
    async () => (await health(ONE, '/health'))?.[0] === 200,
  );
  const [code, body] = (await health(ONE, '/readyz')) ?? [];
  expect([code, body]).toEqual([503, expect.stringContaining('[-]non_learner failed')]);
  expect((await health(ZERO, '/readyz'))?.[0]).toBe(200);
  await untilAccepted(ZERO, (etcd) => etcd.promote(second));
  await eventually('/readyz of the voter', async () => (await health(ONE, '/readyz'))?.[0] === 200);
});

it('etcd rejects wrong changes with errors that the operator recognizes', async () => {
  const first = await startVoter();
  const { addedId, members } = await ask(ZERO, (etcd) => etcd.addLearner(etcds.peerURL(ONE)));
  expect(members.find(({ id }) => id === addedId)).toEqual({
    id: addedId,
    name: '',
    isLearner: true,
    peerURLs: [etcds.peerURL(ONE)],
  });
  const cases: readonly [EtcdErrorKind, (etcd: EtcdClient) => Promise<unknown>][] = [
    // The learner has not started, so it has nothing of the log.
    ['learnerNotReady', (etcd) => etcd.promote(addedId)],
    ['notLearner', (etcd) => etcd.promote(first)],
    ['memberNotFound', (etcd) => etcd.promote('f00')],
    ['peerURLExists', (etcd) => etcd.addLearner(etcds.peerURL(ZERO))],
    ['tooManyLearners', (etcd) => etcd.addLearner(etcds.peerURL(TWO))],
    ['badURL', (etcd) => etcd.addLearner('no URL')],
    ['memberNotFound', (etcd) => etcd.removeMember('f00')],
    ['notEnoughStarted', (etcd) => etcd.removeMember(first)],
    ['badTransferee', (etcd) => etcd.moveLeader(addedId)],
    ['futureRevision', (etcd) => etcd.hashKV('1000000')],
  ];
  const kinds: unknown[] = [];
  for (const [, use] of cases) {
    const error = await errorOf(ask(ZERO, use));
    kinds.push(errorKindOf(error) ?? error);
  }
  expect(kinds).toEqual(cases.map(([kind]) => kind));
  const left = await ask(ZERO, (etcd) => etcd.removeMember(addedId));
  expect(left.members.map(({ id }) => id)).toEqual([first]);
  // A removed ID is never valid again.
  expect(errorKindOf(await errorOf(ask(ZERO, (etcd) => etcd.removeMember(addedId))))).toBe(
    'memberNotFound',
  );
});

it('etcd removes no member without a quorum', async () => {
  await etcds.startClusters([ZERO, ONE]);
  const { members } = await untilServing(ZERO);
  const idOf = (name: string): string => members.find((member) => member.name === name)?.id ?? '';
  await etcds.stop(ONE);
  await eventually('the cluster has no leader', async () => {
    const { leaderId } = await ask(ZERO, (etcd) => etcd.status());
    return leaderId === '0';
  });
  const own = await errorOf(ask(ZERO, (etcd) => etcd.removeMember(idOf(ZERO))));
  expect(errorKindOf(own)).toBe('unhealthyCluster');
  // etcd accepts the removal of a member that is away, and waits for a quorum as long as the client does.
  const other = await errorOf(
    ask(ZERO, (etcd) => etcd.removeMember(idOf(ONE)), AbortSignal.timeout(1_000)),
  );
  expect(nextStepOf(other)).toBe('verify');
  const { members: local } = await ask(ZERO, (etcd) => etcd.memberList({ linearizable: false }));
  expect(local).toHaveLength(2);
});

it('a member reports the alarm NOSPACE until it is disarmed', async () => {
  const memberId = await startVoter(['--quota-backend-bytes=16384']);
  expect(errorKindOf(await errorOf(put(ZERO)))).toBe('noSpace');
  const alarm: EtcdAlarm = { memberId, alarm: 'NOSPACE' };
  const target = etcds.target(ZERO);
  const probe = (): ReturnType<typeof queryMember> =>
    queryMember({ name: ZERO, uid: 'u', target, timeoutMs: 60_000 }, () => 0);
  expect(await probe()).toMatchObject({ alarms: [alarm], dbSizeQuota: '16384', revision: '1' });
  expect(await ask(ZERO, (etcd) => etcd.alarms())).toEqual([alarm]);
  expect((await health(ZERO, '/readyz'))?.[0]).toBe(200);
  expect((await health(ZERO, '/health'))?.[0]).toBe(503);
  await ask(ZERO, (etcd) => etcd.disarmAlarm({ memberId, alarm: 'NOSPACE' }));
  expect(await ask(ZERO, (etcd) => etcd.alarms())).toEqual([]);
  expect(await probe()).toMatchObject({ alarms: [], errors: [] });
  await ask(ZERO, (etcd) => etcd.defragment());
  expect(errorKindOf(await errorOf(put(ZERO)))).toBe('noSpace');
});

describe('a member with --initial-cluster-state=existing and only itself in --initial-cluster', () => {
  const existing = { cluster: [ZERO], state: 'existing' } as const;

  it('exits when it has no data', async () => {
    await etcds.allocate([ZERO]);
    etcds.start(ZERO, existing);
    await eventually('etcd exits', () => etcds.server(ZERO).ended());
    expect(etcds.server(ZERO).tail()).toContain('cannot fetch cluster info from peer urls');
  });

  it('starts with its data', async () => {
    const first = await startVoter();
    await put(ZERO);
    await etcds.stop(ZERO);
    etcds.start(ZERO, existing);
    expect(await untilServing(ZERO)).toMatchObject({ memberId: first, members: [{ id: first }] });
    expect((await ask(ZERO, (etcd) => etcd.status())).revision).toBe('2');
  });
});
