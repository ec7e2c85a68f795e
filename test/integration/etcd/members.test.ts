/** Integration tests with real etcd members: the operator restarts a member only after the members prove a quorum. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { queryMember } from '../../../src/etcd/query-member.ts';
import { withEtcdReader } from '../../../src/etcd/client.ts';
import { EtcdConnectionError } from '../../../src/etcd/errors.ts';
import type { EtcdMemberStatus, EtcdResult } from '../../../src/etcd/member-status.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { statefulSetOf } from '../../../src/instance/__fixtures__/instance.ts';
import { viewOfPods, type AskMembers } from '../../../src/features/etcd-members/etcd-members.ts';
import {
  restartMember,
  type RestartOutcome,
  type RestartTools,
} from '../../../src/features/etcd-members/restart-member.ts';
import { COMPONENT, INSTANCE } from '../../../src/api/labels.ts';
import { etcdVersion } from '../../../tools/embedded-cluster/releases.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { EtcdProcesses } from '../../harness/servers/etcd-processes.ts';

const NAME = 'karmada-demo';
const PODS = [0, 1, 2].map((ordinal) => `${NAME}-etcd-${ordinal}`);
const DOMAIN = `${NAME}-etcd.team.svc.cluster.local`;

let api: ApiServer;
let client: KubernetesClient;
let etcds: EtcdProcesses;
let namespace: string;

const ask: AskMembers = (pods) =>
  Promise.all(
    pods.map(({ metadata: { name, uid = '' } }) =>
      queryMember({ name, uid, target: etcds.target(name), timeoutMs: 2_000 }, () => Date.now()),
    ),
  );

const answers = (results: readonly EtcdResult[]): readonly EtcdMemberStatus[] =>
  results.flatMap((result) => ('memberId' in result ? [result] : []));

/** The etcd processes of this suite connect to each other over http. */
const withHttpPeers = (object: KubernetesObject): KubernetesObject =>
  JSON.parse(
    JSON.stringify(object).replaceAll('--listen-peer-urls=https:', '--listen-peer-urls=http:'),
  ) as KubernetesObject;

/** Creates ready etcd Pods with an older revision than their StatefulSet. */
async function createPods(): Promise<KubernetesObject> {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const wanted = statefulSetOf({ replicas: 3, volumeData: { volumeClaim: { spec: claim } } });
  const own = { ...wanted.object.metadata, namespace };
  const { metadata } = await client.create({ ...withHttpPeers(wanted.object), metadata: own });
  const status = { observedGeneration: 1, replicas: 3, updateRevision: 'new' };
  const set = await client.patch(
    ...([resources.StatefulSet, metadata, { status }, { subresource: 'status' }] as const),
  );
  const labels = { [INSTANCE]: NAME, [COMPONENT]: 'etcd', 'controller-revision-hash': 'old' };
  const containers = [{ name: 'etcd', image: 'registry.example.com/etcd:1' }];
  const spec = {
    containers,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
  };
  const conditions = [{ type: 'Ready', status: 'True' }];
  for (const name of PODS) {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec };
    await client.create(pod);
    const ready = { status: { conditions } };
    await client.patch(resources.Pod, pod.metadata, ready, { subresource: 'status' });
  }
  return set;
}

const podsLeft = async (): Promise<readonly string[]> => {
  const { items } = await client.list(resources.Pod, { namespace });
  return items.map(({ metadata }) => metadata.name).sort();
};

const livePods = async (): Promise<readonly KubernetesObject[]> =>
  (await client.list(resources.Pod, { namespace })).items;

const restart = (
  set: KubernetesObject,
  clock: RestartTools['clock'] = systemClock,
  by = ask,
): Promise<RestartOutcome> => restartMember({ client, ask: by, clock }, set, NAME);

const untilServing = (names: readonly string[]): Promise<unknown> => {
  let seen: unknown;
  return eventually(
    `${names.join()} serve`,
    async () => {
      const pods = await livePods();
      const view = viewOfPods(await ask(pods), pods, Date.now());
      seen = view;
      return names.every((name) => view.serving.includes(name));
    },
    () => seen,
  );
};

beforeAll(async () => {
  etcds = await EtcdProcesses.create(DOMAIN);
  api = await startApiServer();
  client = adminClient(api);
}, 600_000);

afterAll(async () => {
  await client.close();
  await api.stop();
  await etcds.close();
});

beforeEach(async () => {
  await etcds.stopAll();
  namespace = `etcd-${randomBytes(4).toString('hex')}`;
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

it('etcd members report cluster ID, leader and member list', async () => {
  await createPods();
  await etcds.startClusters(PODS);
  await untilServing(PODS);
  const pods = await livePods();
  const given = answers(await ask(pods));
  expect(new Set(given.map(({ clusterId }) => clusterId)).size).toBe(1);
  expect(new Set(given.map(({ leaderId }) => leaderId)).size).toBe(1);
  expect(given.map(({ version, isLearner, errors }) => [version, isLearner, errors])).toEqual(
    PODS.map(() => [etcdVersion, false, []]),
  );
  for (const { members: list, memberId, pod } of given) {
    expect(list.map(({ name }) => name).sort()).toEqual(PODS);
    expect(list.find(({ id }) => id === memberId)?.name).toBe(pod);
  }
  const { signal } = new AbortController();
  const [status, alarms] = await withEtcdReader(etcds.target(PODS[0] ?? ''), signal, (etcd) =>
    Promise.all([etcd.status(), etcd.alarms()]),
  );
  expect(Number(status.dbSize)).toBeGreaterThanOrEqual(Number(status.dbSizeInUse));
  expect(Number(status.appliedIndex)).toBeGreaterThan(0);
  expect(alarms).toEqual([]);
});

it('withEtcdReader rejects a member when its certificate is for other names', async () => {
  await etcds.startClusters(PODS.slice(0, 1));
  const [name = ''] = PODS;
  const { signal } = new AbortController();
  const tls = { context: etcds.context, serverName: `${name}.other.team.svc.cluster.local` };
  const dial = etcds.dial(name);
  await eventually('the member listens', () =>
    dial(signal).then(
      (stream) => stream.destroy().destroyed,
      () => undefined,
    ),
  );
  const asked = withEtcdReader({ dial, tls }, signal, (etcd) => etcd.status());
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EtcdConnectionError);
  expect(error).toMatchObject({ failure: { stage: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
});

it('restartMember restarts one member while the others keep a quorum, and no second one without a quorum', async () => {
  const set = await createPods();
  await etcds.startClusters(PODS);
  await untilServing(PODS);
  const pods = await livePods();
  const { leader } = viewOfPods(await ask(pods), pods, Date.now());
  expect(await restart(set)).toEqual({ writes: 1 });
  const left = await podsLeft();
  const [gone = ''] = PODS.filter((name) => !left.includes(name));
  expect(left).toHaveLength(2);
  expect(gone).not.toBe(leader);
  // The deleted Pod is not recreated here, so no other member may restart.
  expect(await restart(set)).toEqual({ writes: 0 });
});

it('restartMember restarts no member when a member is down whose Pod is still ready in the cache', async () => {
  const set = await createPods();
  await etcds.startClusters(PODS);
  await untilServing(PODS);
  await etcds.stop(PODS[0] ?? '');
  const outcome = await restart(set);
  expect(outcome).toMatchObject({
    blockedChange: {
      step: 'etcd',
      reason: expect.stringMatching(/EtcdQuorumUnproven|EtcdUnobserved/),
      message: expect.stringContaining('connection failed (ECONNREFUSED)'),
    },
  });
  await etcds.stop(PODS[1] ?? '');
  expect(await restart(set)).toHaveProperty('blockedChange');
  // Without a quorum the last member still reports its member ID.
  const [alone] = answers(await ask(await livePods()));
  expect(alone).toMatchObject({ pod: PODS[2], confirmed: false });
  expect(alone?.members).toHaveLength(3);
  expect(await podsLeft()).toEqual(PODS);
});

it('restartMember reports a split brain and restarts nothing when two clusters share one Service', async () => {
  const set = await createPods();
  await etcds.startClusters(PODS.slice(0, 1), PODS.slice(1));
  let seen: unknown;
  const responses = async (): Promise<boolean> => {
    const results = await ask(await livePods());
    seen = results;
    return answers(results).length === PODS.length;
  };
  await eventually('all members respond', responses, () => seen);
  const outcome = await restart(set);
  const [one = '', ...others] = PODS;
  expect(outcome).toMatchObject({
    blockedChange: {
      message: expect.stringMatching(
        new RegExp(`${others.join(', ')}: cluster [0-9a-f]+; ${one}: cluster [0-9a-f]+\\)`),
      ),
    },
  });
  expect(await podsLeft()).toEqual(PODS);
});

it('restartMember queries the members again after a stall, and deletes nothing based on an expired proof', async () => {
  const set = await createPods();
  await etcds.startClusters(PODS);
  await untilServing(PODS);
  let asked = 0;
  let stalledMs = 0;
  const clock = {
    wall: () => Date.now(),
    monotonic: () => systemClock.monotonic() + stalledMs,
  };
  const stalling =
    (times: number): AskMembers =>
    async (pods) => {
      const results = await ask(pods);
      asked += 1;
      if (asked <= times) stalledMs += 60_000;
      return results;
    };
  expect(await restart(set, clock, stalling(9))).toMatchObject({
    blockedChange: {
      reason: 'EtcdQuorumUnproven',
      message: expect.stringContaining('longer than 5 s'),
    },
  });
  expect([asked, await podsLeft()]).toEqual([2, PODS]);
  asked = 0;
  expect(await restart(set, clock, stalling(1))).toEqual({ writes: 1 });
  expect(asked).toBe(2);
});

it('restartMember deletes nothing when the rate limit delays the deletion until the proof has expired', async () => {
  const set = await createPods();
  await etcds.startClusters(PODS);
  await untilServing(PODS);
  const slow = adminClient(api, { rateLimit: { qps: 0.1, burst: 2 } });
  try {
    const outcome = await restartMember({ client: slow, ask, clock: systemClock }, set, NAME);
    expect(outcome).toMatchObject({ blockedChange: { reason: 'EtcdQuorumUnproven' } });
    expect(await podsLeft()).toEqual(PODS);
  } finally {
    await slow.close();
  }
});
