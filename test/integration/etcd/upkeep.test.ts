/** Integration tests with real etcd members: compaction, defragmentation, and the alarm NOSPACE. */
import { randomBytes } from 'node:crypto';
import { anyClient } from '../../../src/kubernetes/client/any-client.fixture.ts';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { EFFECTIVE_HASH } from '../../../src/components/etcd/effective-hash.ts';
import { withEtcd, type EtcdClient } from '../../../src/etcd/client.ts';
import { openTls } from '../../../src/etcd/dial.ts';
import { errorKindOf } from '../../../src/etcd/error-kinds.ts';
import { callUnary, openSession } from '../../../src/etcd/grpc.ts';
import { queryMember } from '../../../src/etcd/query-member.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { EventReport } from '../../../src/kubernetes/client/events.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import {
  karmadaOf,
  live,
  pod,
  snapshotOf,
  statefulSetOf,
  wishOf,
} from '../../../src/instance/__fixtures__/instance.ts';
import type { AskMembers } from '../../../src/features/etcd-members/etcd-members.ts';
import { hashIn } from '../../../src/etcd-cluster/pods/membership.ts';
import { startUpkeep, type UpkeepTools } from '../../../src/features/etcd-upkeep/run-upkeep.ts';
import { eventually, memoryLog } from '../../harness/servers/apiserver-client.ts';
import { EtcdProcesses } from '../../harness/servers/etcd-processes.ts';

const NAME = 'karmada-demo';
const PODS = [0, 1, 2].map((ordinal) => `${NAME}-etcd-${String(ordinal)}`);
const QUOTA = 16_777_216;

let etcds: EtcdProcesses;

const call = <T>(name: string, use: (client: EtcdClient) => Promise<T>): Promise<T> =>
  withEtcd(etcds.target(name), AbortSignal.timeout(60_000), use);

const ask: AskMembers = (pods) =>
  Promise.all(
    pods.map(({ metadata: { name, uid = '' } }) =>
      queryMember({ name, uid, target: etcds.target(name), timeoutMs: 2_000 }, () => Date.now()),
    ),
  );

/** Writes a random value to a key, which the operator never does. */
async function put(name: string, key: string, bytes = 400_000): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const { tls } = etcds.target(name);
  if (tls === undefined) throw new Error('no TLS');
  const stream = await openTls(await etcds.dial(name)(signal), tls, signal);
  const session = openSession(stream);
  try {
    const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(key);
    const message = writer.tag(2, WireType.LengthDelimited).bytes(randomBytes(bytes)).finish();
    await callUnary(session, { path: '/etcdserverpb.KV/Put', message });
  } finally {
    session.destroy();
    stream.destroy();
  }
}

/** Writes until etcd rejects writes. */
async function fill(name: string, keyOf: (count: number) => string, bytes?: number): Promise<void> {
  for (let count = 0; count < 5_000; count += 1) {
    try {
      await put(name, keyOf(count), bytes);
    } catch (error) {
      if (errorKindOf(error) === 'noSpace') return;
      throw error;
    }
  }
  throw new Error('etcd accepts 5000 writes');
}

/** Starts these members with a small quota. @returns the Pod of the leader */
async function start(pods: readonly string[]): Promise<string> {
  await etcds.allocate(pods);
  const flags = [`--quota-backend-bytes=${String(QUOTA)}`];
  for (const name of pods) etcds.start(name, { cluster: pods, flags });
  const { leaderId } = await eventually('the members have a leader', () =>
    call(pods[0] ?? '', async (etcd) => {
      await etcd.readWithQuorum();
      return etcd.status();
    }).catch(() => undefined),
  );
  const { members } = await call(pods[0] ?? '', (etcd) => etcd.memberList({ linearizable: true }));
  return members.find(({ id }) => id === leaderId)?.name ?? '';
}

interface Upkeep {
  /** Runs one step in the background and waits for its end. */
  readonly step: () => Promise<void>;
  readonly events: readonly EventReport[];
}

function upkeepOf(pods: readonly string[]): Upkeep {
  const local = { replicas: pods.length, quotaBackendBytes: QUOTA };
  const statefulSet = live(statefulSetOf(local));
  const annotations = { [EFFECTIVE_HASH]: hashIn(statefulSet) ?? '' };
  const objects = pods.map((name): KubernetesObject => {
    const ready = pod('etcd', { name });
    return { ...ready, metadata: { ...ready.metadata, annotations } };
  });
  const events: EventReport[] = [];
  const tools: UpkeepTools = {
    client: anyClient({
      find: async () => statefulSet,
      list: async () => ({ resourceVersion: '1', items: objects }),
    }),
    instance: {},
    ask,
    targets: () => new Map(pods.map((name) => [name, etcds.target(name)])),
    clock: systemClock,
    log: memoryLog(),
    events: { record: (event) => events.push(event) },
    onDone: () => undefined,
  };
  const karmada = karmadaOf({ components: { etcd: { local } } });
  const snapshot = snapshotOf(wishOf(karmada.spec), [], { karmada });
  const step = async (): Promise<void> =>
    startUpkeep(tools, snapshot, { kind: 'maintainEtcd', statefulSet });
  return { step, events };
}

const reasonsOf = ({ events }: Upkeep): readonly string[] => events.map(({ reason }) => reason);

/** Repeats steps until the last Event has a reason. */
const untilEvent = (upkeep: Upkeep, reason: string): Promise<true> =>
  eventually(
    `the Event ${reason}`,
    async () => {
      await upkeep.step();
      return reasonsOf(upkeep).at(-1) === reason || undefined;
    },
    () => upkeep.events.map(({ note }) => note),
  );

const sizesOf = (pods: readonly string[]): Promise<readonly number[]> =>
  Promise.all(pods.map(async (name) => Number((await call(name, (etcd) => etcd.status())).dbSize)));

beforeAll(async () => {
  etcds = await EtcdProcesses.create(`${NAME}-etcd.team.svc`);
}, 600_000);

afterAll(() => etcds.close());

beforeEach(() => etcds.stopAll());

it('compacts and defragments three members that are full of history, the leader last, and disarms the alarm', async () => {
  const leader = await start(PODS);
  // Each write of a large value also rewrites the one before it, so a defragmentation could come before the compaction.
  await fill(leader, () => 'same', 20_000);
  const upkeep = upkeepOf(PODS);
  await untilEvent(upkeep, 'EtcdAlarmDisarmed');
  const [compacted, ...others] = upkeep.events.map(({ note }) => note);
  expect([compacted, ...others]).toEqual([expect.stringContaining('compacted up to'), ...others]);
  const defragmented = upkeep.events
    .filter(({ reason }) => reason === 'EtcdDefragmented')
    .map(({ note }) => PODS.find((name) => note.includes(`${name} `)));
  expect(defragmented.slice(0, 2).sort()).toEqual(PODS.filter((name) => name !== leader));
  expect(defragmented.slice(2)).toEqual([leader]);
  expect(others).toHaveLength(4);
  for (const size of await sizesOf(PODS)) expect(size).toBeLessThan(QUOTA / 2);
  expect(await call(leader, (etcd) => etcd.alarms())).toEqual([]);
  await put(leader, 'more');
  // Nothing is left to do.
  await upkeep.step();
  expect(upkeep.events).toHaveLength(5);
});

it('keeps the alarm armed while the database is full of data, and disarms it when the quota is higher', async () => {
  const [only = ''] = PODS;
  await start([only]);
  // Small values fill the pages of the file.
  await fill(only, (count) => `key-${String(count)}`, 20_000);
  const upkeep = upkeepOf([only]);
  for (let count = 0; count < 3; count += 1) await upkeep.step();
  expect(reasonsOf(upkeep)).toEqual(['EtcdCompacted', 'EtcdDefragmented']);
  expect(await call(only, (etcd) => etcd.alarms())).toHaveLength(1);
  await etcds.stop(only);
  etcds.start(only, { cluster: [only], flags: [`--quota-backend-bytes=${String(2 * QUOTA)}`] });
  await untilEvent(upkeep, 'EtcdAlarmDisarmed');
  await put(only, 'more');
});

it('does nothing while a member does not respond', async () => {
  const leader = await start(PODS);
  await fill(leader, () => 'same');
  const [away = ''] = PODS.filter((name) => name !== leader);
  await etcds.stop(away);
  const upkeep = upkeepOf(PODS);
  await upkeep.step();
  expect(reasonsOf(upkeep)).toEqual([]);
});
