/** Integration tests with real etcd members: the operator restarts a member only after the members prove a quorum. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { SecureContext } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { queryMember } from '../../../src/etcd/query-member.ts';
import { withEtcd, type EtcdTarget } from '../../../src/etcd/client.ts';
import { dialTcp, secureContextOf } from '../../../src/etcd/dial.ts';
import { EtcdConnectionError } from '../../../src/etcd/errors.ts';
import type { EtcdMemberStatus, EtcdResult } from '../../../src/etcd/member-status.ts';
import { systemClock } from '../../../src/kubernetes/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import { selfSigned, signedBy } from '../../../src/pki/x509.ts';
import { statefulSetOf } from '../../../src/reconcile/__fixtures__/instance.ts';
import { viewOfPods, type AskMembers } from '../../../src/reconcile/etcd/etcd-members.ts';
import {
  restartMember,
  type RestartOutcome,
  type RestartTools,
} from '../../../src/reconcile/etcd/restart-member.ts';
import { COMPONENT, INSTANCE } from '../../../src/api/labels.ts';
import { ensureBinaries } from '../../embedded-cluster/binaries.ts';
import { startApiServer, type ApiServer } from '../apiserver.ts';
import { adminClient, eventually } from '../kubernetes/fixture.ts';
import { freePorts, startServer, type Server } from '../process.ts';

const NAME = 'karmada-demo';
const PODS = [0, 1, 2].map((ordinal) => `${NAME}-etcd-${ordinal}`);
const DOMAIN = `${NAME}-etcd.team.svc.cluster.local`;

let api: ApiServer;
let client: KubernetesClient;
let program: string;
let directory: string;
let context: SecureContext;
let namespace: string;
let count = 0;

interface Ports {
  readonly client: number;
  readonly peer: number;
}

const members = new Map<string, { readonly ports: Ports; server: Server }>();

const at = (name: string): string => join(directory, name);

async function portsFor(names: readonly string[]): Promise<ReadonlyMap<string, Ports>> {
  const ports = await freePorts(2 * names.length);
  return new Map(
    names.map((name, n) => [name, { client: ports[2 * n] ?? 0, peer: ports[2 * n + 1] ?? 0 }]),
  );
}

/** Starts members that form one etcd cluster. */
function startCluster(names: readonly string[], ports: ReadonlyMap<string, Ports>): void {
  const urlOf = (name: string): string => `http://127.0.0.1:${ports.get(name)?.peer}`;
  const cluster = names.map((name) => `${name}=${urlOf(name)}`).join();
  count += 1;
  for (const name of names) {
    const own = ports.get(name) ?? { client: 0, peer: 0 };
    const url = `https://127.0.0.1:${own.client}`;
    const flags = [
      ...[`--name=${name}`, `--data-dir=${at(`${name}-${count}`)}`],
      ...[`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`],
      ...[`--listen-peer-urls=${urlOf(name)}`, `--initial-advertise-peer-urls=${urlOf(name)}`],
      ...[`--initial-cluster=${cluster}`, `--initial-cluster-token=life-${count}`],
      ...[`--cert-file=${at('tls.crt')}`, `--key-file=${at('tls.key')}`],
      ...[`--trusted-ca-file=${at('ca.crt')}`, '--client-cert-auth'],
      ...['--unsafe-no-fsync', '--log-level=error'],
    ];
    members.set(name, { ports: own, server: startServer(program, flags, at(`${name}.log`)) });
  }
}

/** Starts several etcd clusters. All ports are allocated at once, so that none is used twice. */
async function start(...clusters: readonly (readonly string[])[]): Promise<void> {
  const ports = await portsFor(clusters.flat());
  for (const names of clusters) startCluster(names, ports);
}

async function stop(...names: readonly string[]): Promise<void> {
  await Promise.all(names.map(async (name) => members.get(name)?.server.end('SIGKILL')));
}

function targetOf(name: string): EtcdTarget {
  const port = members.get(name)?.ports.client ?? 0;
  const serverName = `${name}.${DOMAIN}`;
  return { dial: dialTcp({ host: '127.0.0.1', port }), tls: { context, serverName } };
}

const ask: AskMembers = (pods) =>
  Promise.all(
    pods.map(({ metadata: { name, uid = '' } }) =>
      queryMember({ name, uid, target: targetOf(name), timeoutMs: 2_000 }, () => Date.now()),
    ),
  );

const answers = (results: readonly EtcdResult[]): readonly EtcdMemberStatus[] =>
  results.flatMap((result) => ('memberId' in result ? [result] : []));

/** Creates ready etcd Pods with an older revision than their StatefulSet. */
async function createPods(): Promise<KubernetesObject> {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const wanted = statefulSetOf({ replicas: 3, volumeData: { volumeClaim: { spec: claim } } });
  const own = { ...wanted.object.metadata, namespace };
  const { metadata } = await client.create({ ...wanted.object, metadata: own });
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
  ({ etcd: program } = await ensureBinaries(['etcd']));
  directory = await mkdtemp(join(tmpdir(), 'etcd-members-'));
  const now = { now: new Date(), random: randomBytes };
  const ca = await selfSigned('CA', await makeKey('ec-p256'), now);
  const usages = ['serverAuth', 'clientAuth'] as const;
  const leaf = { usages, dns: [`*.${DOMAIN}`], ips: ['127.0.0.1'] };
  const wanted = { subject: { commonName: 'etcd' }, validityDays: 30, leaf };
  const pair = await signedBy(ca, wanted, await makeKey('ec-p256'), now);
  const files = { 'ca.crt': ca.certificate, 'tls.crt': pair.certificate, 'tls.key': pair.key };
  for (const [name, text] of Object.entries(files)) await writeFile(at(name), text);
  context = secureContextOf({ ca: ca.certificate, ...pair });
  api = await startApiServer();
  client = adminClient(api);
}, 600_000);

afterAll(async () => {
  await stop(...members.keys());
  await client.close();
  await api.stop();
  await rm(directory, { recursive: true, force: true });
}, 60_000);

beforeEach(async () => {
  await stop(...members.keys());
  namespace = `etcd-${randomBytes(4).toString('hex')}`;
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

it('etcd members report cluster ID, leader and member list', async () => {
  await createPods();
  await start(PODS);
  await untilServing(PODS);
  const pods = await livePods();
  const given = answers(await ask(pods));
  expect(new Set(given.map(({ clusterId }) => clusterId)).size).toBe(1);
  expect(new Set(given.map(({ leaderId }) => leaderId)).size).toBe(1);
  expect(given.map(({ version, isLearner, errors }) => [version, isLearner, errors])).toEqual(
    PODS.map(() => ['3.6.6', false, []]),
  );
  for (const { members: list, memberId, pod } of given) {
    expect(list.map(({ name }) => name).sort()).toEqual(PODS);
    expect(list.find(({ id }) => id === memberId)?.name).toBe(pod);
  }
  const { signal } = new AbortController();
  const [status, alarms] = await withEtcd(targetOf(PODS[0] ?? ''), signal, (etcd) =>
    Promise.all([etcd.status(), etcd.alarms()]),
  );
  expect(Number(status.dbSize)).toBeGreaterThanOrEqual(Number(status.dbSizeInUse));
  expect(Number(status.appliedIndex)).toBeGreaterThan(0);
  expect(alarms).toEqual([]);
});

it('withEtcd rejects a member when its certificate is for other names', async () => {
  await start(PODS.slice(0, 1));
  const [name = ''] = PODS;
  const { dial } = targetOf(name);
  const { signal } = new AbortController();
  const tls = { context, serverName: `${name}.other.team.svc.cluster.local` };
  const port = members.get(name)?.ports.client ?? 0;
  await eventually('the member listens', () =>
    dialTcp({ host: '127.0.0.1', port })(signal).then(
      (stream) => stream.destroy().destroyed,
      () => undefined,
    ),
  );
  const asked = withEtcd({ dial, tls }, signal, (etcd) => etcd.status());
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EtcdConnectionError);
  expect(error).toMatchObject({ failure: { stage: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
});

it('restartMember restarts one member while the others keep a quorum, and no second one without a quorum', async () => {
  const set = await createPods();
  await start(PODS);
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
  await start(PODS);
  await untilServing(PODS);
  await stop(PODS[0] ?? '');
  const outcome = await restart(set);
  expect(outcome).toMatchObject({
    blockedChange: {
      step: 'etcd',
      reason: expect.stringMatching(/EtcdQuorumUnproven|EtcdUnobserved/),
      message: expect.stringContaining('connection failed (ECONNREFUSED)'),
    },
  });
  await stop(PODS[1] ?? '');
  expect(await restart(set)).toHaveProperty('blockedChange');
  // Without a quorum the last member still reports its member ID.
  const [alone] = answers(await ask(await livePods()));
  expect(alone).toMatchObject({ pod: PODS[2], confirmed: false });
  expect(alone?.members).toHaveLength(3);
  expect(await podsLeft()).toEqual(PODS);
});

it('restartMember reports a split brain and restarts nothing when two clusters share one Service', async () => {
  const set = await createPods();
  await start(PODS.slice(0, 1), PODS.slice(1));
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
  await start(PODS);
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
  await start(PODS);
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
