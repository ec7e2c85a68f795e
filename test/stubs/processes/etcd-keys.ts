/** Writes and reads keys of a real etcd, as the API server of a control plane does. */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { instanceName, SECRET_SUFFIX } from '../../../src/api/naming.ts';
import { dialTcp, openTls, secureContextOf, type TlsTarget } from '../../../src/etcd/dial.ts';
import { callUnary, openSession } from '../../../src/etcd/grpc.ts';
import { readMemberList, type EtcdMemberList } from '../../../src/etcd/messages.ts';
import { memberListRequest } from '../../../src/etcd/requests.ts';
import { anyClient } from '../../../src/kubernetes/client/any-client.fixture.ts';
import type {
  KubernetesClient,
  ListPage,
} from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import {
  resources,
  type ObjectKey,
  type ResourceType,
} from '../../../src/kubernetes/objects/resources.ts';
import type { DataCluster } from './data-cluster.ts';

const PORT = 2379;
const PREFIX = '/test/';
const TIMEOUT_MS = 15_000;

const text = (field: number, value: string, message = new BinaryWriter()): BinaryWriter =>
  message.tag(field, WireType.LengthDelimited).string(value);

/** Keys and values of a RangeResponse. */
function pairsIn(response: Uint8Array): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  const reader = new BinaryReader(response);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number !== 2) reader.skip(type, number);
    else {
      const [key, value] = pairIn(reader.bytes());
      pairs.set(key, value);
    }
  }
  return pairs;
}

function pairIn(message: Uint8Array): readonly [key: string, value: string] {
  const found = { key: '', value: '' };
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === 1) found.key = reader.string();
    else if (number === 5) found.value = reader.string();
    else reader.skip(type, number);
  }
  return [found.key, found.value];
}

/** ConfigMaps as keys of etcd: what `writing` of the test harness needs of a client. */
export class EtcdKeys {
  readonly #members: () => readonly string[];
  readonly #tls: TlsTarget;
  #connecting: Promise<Connection> | undefined;

  private constructor(members: () => readonly string[], tls: TlsTarget) {
    this.#members = members;
    this.#tls = tls;
  }

  static async connect(
    cluster: DataCluster,
    { namespace, name }: { readonly namespace: string; readonly name: string },
  ): Promise<EtcdKeys> {
    const key = { namespace, name: instanceName(name, SECRET_SUFFIX.etcdCert) };
    const secret = await cluster.client.get(resources.Secret, key);
    const data = secret['data'] as Readonly<Record<string, string>>;
    const pem = (file: string): string => Buffer.from(data[file] ?? '', 'base64').toString('utf8');
    const context = secureContextOf({
      ca: pem('etcd-ca.crt'),
      certificate: pem('etcd-client.crt'),
      key: pem('etcd-client.key'),
    });
    const serverName = `${instanceName(name, 'etcd-client')}.${namespace}.svc.cluster.local`;
    const members = (): readonly string[] => [...cluster.members(namespace, name).values()];
    return new EtcdKeys(members, { context, serverName });
  }

  async create(object: KubernetesObject): Promise<KubernetesObject> {
    const { key = '' } = object['data'] as { key?: string };
    const message = text(2, key, text(1, PREFIX + object.metadata.name)).finish();
    await this.#call('/etcdserverpb.KV/Put', message);
    return object;
  }

  async get(_: ResourceType, { name }: ObjectKey): Promise<KubernetesObject> {
    const pairs = pairsIn(
      await this.#call('/etcdserverpb.KV/Range', text(1, PREFIX + name).finish()),
    );
    return configMap(name, pairs.get(PREFIX + name));
  }

  async list(): Promise<ListPage> {
    const items: KubernetesObject[] = [];
    // A response has at most 64 KiB.
    for (let from = PREFIX; ;) {
      const range = text(2, `${PREFIX.slice(0, -1)}0`, text(1, from));
      const message = range.tag(3, WireType.Varint).int64(500).finish();
      const pairs = pairsIn(await this.#call('/etcdserverpb.KV/Range', message));
      for (const [key, value] of pairs) items.push(configMap(key.slice(PREFIX.length), value));
      const last = [...pairs.keys()].at(-1);
      if (last === undefined) return { resourceVersion: '0', items };
      from = `${last}\0`;
    }
  }

  /** Member list that a quorum confirms. */
  async memberList(): Promise<EtcdMemberList> {
    const message = memberListRequest(true);
    return readMemberList(await this.#call('/etcdserverpb.Cluster/MemberList', message));
  }

  /** These keys as ConfigMaps of a client. */
  asClient(): Pick<KubernetesClient, 'create' | 'get' | 'list'> {
    return anyClient({
      create: (object) => this.create(object),
      get: (type, key) => this.get(type, key),
      list: () => this.list(),
    });
  }

  close(): void {
    void this.#connecting?.then(end, () => undefined);
    this.#connecting = undefined;
  }

  async #call(path: string, message: Uint8Array): Promise<Buffer> {
    const { session } = await this.#open();
    // A member whose network is gone never answers.
    const timer = setTimeout(() => session.destroy(), TIMEOUT_MS);
    return callUnary(session, { path, message }).finally(() => clearTimeout(timer));
  }

  /** The present connection, or a new one if its member has closed it, or if there is none. */
  #open(): Promise<Connection> {
    const present = this.#connecting?.catch(() => undefined) ?? Promise.resolve(undefined);
    this.#connecting = present.then((connection) =>
      connection === undefined || connection.session.destroyed || connection.session.closed
        ? this.#connect()
        : connection,
    );
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    let failure: unknown = new Error('no member is ready');
    for (const host of this.#members()) {
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const stream = await dialTcp({ host, port: PORT })(signal);
        const secure = await openTls(stream, this.#tls, signal);
        return { session: openSession(secure), stream: secure };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}

interface Connection {
  readonly session: ClientHttp2Session;
  readonly stream: Duplex;
}

function end({ session, stream }: Connection): void {
  session.destroy();
  stream.destroy();
}

const configMap = (name: string, key: string | undefined): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { key },
});
