/**
 * Real etcd members for a control plane whose Pods do not run. They use the addresses, names and certificates that the
 * operator expects of its etcd Pods. The test creates these Pods, as no controller does.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instanceName } from '../../../src/api/naming.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { startServer, type Server } from '../../harness/servers/process.ts';

/** The operator connects to this port of a Pod. */
const CLIENT_PORT = 2379;
const PEER_PORT = 2380;
/** Port of the test, without TLS. */
const PLAIN_PORT = 2378;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface StatefulSet extends KubernetesObject {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly volumes: readonly { secret?: { secretName: string } }[] };
    };
  };
}

interface Member {
  readonly name: string;
  readonly address: string;
  server?: Server;
}

export class EtcdMembers {
  readonly #directory: string;
  readonly #program: string;
  readonly #members: readonly Member[];
  readonly #quotaBytes: number;

  private constructor(given: {
    directory: string;
    program: string;
    members: readonly Member[];
    quotaBytes: number;
  }) {
    this.#directory = given.directory;
    this.#program = given.program;
    this.#members = given.members;
    this.#quotaBytes = given.quotaBytes;
  }

  /** Waits until the operator has created the StatefulSet and the certificates, and starts all members. */
  static async start(
    client: KubernetesClient,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    quotaBytes: number,
  ): Promise<EtcdMembers> {
    const { etcd: program } = await ensureBinaries(['etcd']);
    const directory = await mkdtemp(join(tmpdir(), 'alerts-etcd-'));
    const set = await statefulSetOf(client, { namespace, name: instanceName(name, 'etcd') });
    await writeCertificates(client, set, directory);
    const members = Array.from({ length: set.spec.replicas }, (_, ordinal) => ({
      name: `${set.metadata.name}-${String(ordinal)}`,
      address: addressOf(ordinal),
    }));
    const started = new EtcdMembers({ directory, program, members, quotaBytes });
    for (const member of members) started.#start(member);
    for (const member of members) await createPod(client, set, member);
    return started;
  }

  /** Kills the last members. */
  async kill(count: number): Promise<void> {
    const killed = this.#members.slice(-count);
    await Promise.all(killed.map(async ({ server }) => server?.end('SIGKILL')));
  }

  /** Starts all members that do not run, with their data. */
  restart(): void {
    for (const member of this.#members) if (member.server?.ended() !== false) this.#start(member);
  }

  /** Stores a value of this size in bytes. @returns whether etcd accepted it */
  async put(key: string, bytes: number): Promise<boolean> {
    const value = base64('x'.repeat(bytes));
    return (await this.#call(0, 'kv/put', { key: base64(key), value })).ok;
  }

  /** Deletes all values, frees their space, and disarms the alarms. */
  async empty(): Promise<void> {
    const all = { key: base64('\0'), range_end: base64('\0') };
    const { header } = (await (await this.#call(0, 'kv/deleterange', all)).json()) as {
      header: { revision: string };
    };
    await this.#call(0, 'kv/compaction', { revision: header.revision, physical: true });
    for (const ordinal of this.#members.keys())
      await this.#call(ordinal, 'maintenance/defragment', {});
    const { alarms = [] } = (await (
      await this.#call(0, 'maintenance/alarm', { action: 'GET' })
    ).json()) as { alarms?: readonly object[] };
    // An alarm belongs to a member.
    for (const alarm of alarms)
      await this.#call(0, 'maintenance/alarm', { ...alarm, action: 'DEACTIVATE' });
  }

  async end(): Promise<void> {
    await this.kill(this.#members.length);
    await rm(this.#directory, { recursive: true, force: true });
  }

  #call(ordinal: number, path: string, body: object): Promise<Response> {
    const address = this.#members[ordinal]?.address ?? '';
    return fetch(`http://${address}:${String(PLAIN_PORT)}/v3/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
  }

  #start(member: Member): void {
    const { name, address } = member;
    const peer = (one: Member): string => `http://${one.address}:${String(PEER_PORT)}`;
    const client = `https://${address}:${String(CLIENT_PORT)}`;
    const file = (named: string): string => join(this.#directory, named);
    const flags = [
      `--name=${name}`,
      `--data-dir=${file(name)}`,
      `--listen-client-urls=${client},http://${address}:${String(PLAIN_PORT)}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer(member)}`,
      `--initial-advertise-peer-urls=${peer(member)}`,
      `--initial-cluster=${this.#members.map((one) => `${one.name}=${peer(one)}`).join()}`,
      '--client-cert-auth',
      `--trusted-ca-file=${file('etcd-ca.crt')}`,
      `--cert-file=${file('etcd-server.crt')}`,
      `--key-file=${file('etcd-server.key')}`,
      `--quota-backend-bytes=${String(this.#quotaBytes)}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ];
    member.server = startServer(this.#program, flags, file(`${name}.log`));
  }
}

/** The whole network 127.0.0.0/8 is on the loopback interface. Each process uses its own part. */
function addressOf(ordinal: number): string {
  const part = 256 + (process.pid % 60_000);
  return `127.${String(part >> 8)}.${String(part & 255)}.${String(ordinal + 1)}`;
}

function statefulSetOf(
  client: KubernetesClient,
  key: { readonly namespace: string; readonly name: string },
): Promise<StatefulSet> {
  return poll(
    `StatefulSet ${key.name} exists`,
    () => client.find(resources.StatefulSet, key) as Promise<StatefulSet | undefined>,
    { deadlineMs: 120_000 },
  );
}

async function writeCertificates(
  client: KubernetesClient,
  { metadata: { namespace = '' }, spec }: StatefulSet,
  directory: string,
): Promise<void> {
  const names = spec.template.spec.volumes.flatMap(({ secret }) => secret?.secretName ?? []);
  const secret = await client.get(resources.Secret, { namespace, name: names[0] ?? '' });
  for (const [name, text] of Object.entries(secret['data'] as Record<string, string>))
    await writeFile(join(directory, name), Buffer.from(text, 'base64'), { mode: 0o600 });
}

/** Creates the Pod and its status, as the StatefulSet controller and the kubelet would. */
async function createPod(
  client: KubernetesClient,
  { metadata, spec }: StatefulSet,
  { name, address }: Member,
): Promise<void> {
  const { namespace = '' } = metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', controller: true };
  await client.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: spec.template.metadata.labels,
      ownerReferences: [{ ...owner, name: metadata.name, uid: metadata.uid ?? '' }],
    },
    spec: { containers: [{ name: 'etcd', image: 'etcd' }] },
  });
  const status = {
    phase: 'Running',
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  await client.patch(resources.Pod, { namespace, name }, { status }, { subresource: 'status' });
}
