/** The etcd API of one member (gRPC over HTTP/2), as far as the operator calls it. */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { GRPC } from '../../../src/etcd/errors.ts';
import { framed, HEAD_LENGTH } from '../../../src/etcd/grpc.ts';
import { EtcdError, type EtcdMember } from './etcd-cluster.ts';
import type { Membership } from './etcd-clusters.ts';

const QUOTA = 2n ** 31n;

type Fields = ReadonlyMap<number, readonly (bigint | Uint8Array)[]>;

/** All values of each field. */
function fieldsOf(message: Uint8Array): Fields {
  const fields = new Map<number, (bigint | Uint8Array)[]>();
  const add = (number: number, value: bigint | Uint8Array): unknown =>
    fields.set(number, [...(fields.get(number) ?? []), value]);
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === WireType.Varint) add(number, BigInt(reader.uint64()));
    else if (type === WireType.LengthDelimited) add(number, reader.bytes());
    else reader.skip(type, number);
  }
  return fields;
}

const numberOf = (fields: Fields, field: number): bigint => {
  const value = fields.get(field)?.at(-1);
  return typeof value === 'bigint' ? value : 0n;
};

const textsOf = (fields: Fields, field: number): readonly string[] =>
  (fields.get(field) ?? []).flatMap((value) =>
    value instanceof Uint8Array ? [Buffer.from(value).toString('utf8')] : [],
  );

class Message {
  readonly #writer = new BinaryWriter();

  uint(field: number, value: bigint): this {
    this.#writer.tag(field, WireType.Varint).uint64(value);
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#writer.tag(field, WireType.LengthDelimited).bytes(value);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  finish(): Uint8Array {
    return this.#writer.finish();
  }
}

function memberMessage({ id, name, peerURLs, isLearner }: EtcdMember): Uint8Array {
  const message = new Message().uint(1, id).text(2, name);
  for (const url of peerURLs) message.text(3, url);
  return message.uint(5, isLearner ? 1n : 0n).finish();
}

/** Answers the calls of one member. */
export class EtcdApi {
  readonly #membership: Membership;
  readonly #version: string;

  /** @param version that the member reports */
  constructor(membership: Membership, version: string) {
    this.#membership = membership;
    this.#version = version;
  }

  /** Answers one call. A call that needs a quorum never ends without one. */
  async answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    stream.on('error', () => undefined);
    const body = await buffer(stream).catch(() => Buffer.alloc(0));
    const path = String(headers[':path']);
    try {
      const message = this.#call(path, fieldsOf(body.subarray(HEAD_LENGTH)));
      if (message !== undefined && !stream.destroyed) respond(stream, message);
    } catch (error) {
      if (stream.destroyed) return;
      const status = error instanceof EtcdError ? error.status : GRPC.unknown;
      refuse(stream, status, error instanceof Error ? error.message : String(error));
    }
  }

  #call(path: string, fields: Fields): Uint8Array | undefined {
    const { cluster, id } = this.#membership;
    const method = path.replace('/etcdserverpb.', '');
    if (cluster.find(id)?.isLearner === true && method !== 'Maintenance/Status')
      throw new EtcdError(GRPC.unavailable, 'rpc not supported for learner');
    const answer = this.#methods[method];
    if (answer === undefined) throw new EtcdError(GRPC.unimplemented, `unknown method ${path}`);
    return answer(fields);
  }

  /** Answers by method; undefined while there is no quorum. */
  readonly #methods: Readonly<Record<string, (fields: Fields) => Uint8Array | undefined>> = {
    'Maintenance/Status': () => this.#status(),
    'Maintenance/HashKV': () => this.#hash(),
    'Maintenance/Alarm': () => this.#empty(),
    'Maintenance/Defragment': () => this.#empty(),
    'KV/Compact': () => this.#empty(),
    'KV/Range': () => (this.#membership.cluster.hasQuorum ? this.#empty() : undefined),
    'Cluster/MemberList': (fields) =>
      numberOf(fields, 1) === 1n && !this.#membership.cluster.hasQuorum ? undefined : this.#list(),
    'Cluster/MemberAdd': (fields) => {
      const added = this.#membership.cluster.addLearner(textsOf(fields, 1));
      return this.#list(3, new Message().bytes(1, this.#header()).bytes(2, memberMessage(added)));
    },
    'Cluster/MemberPromote': (fields) => {
      this.#membership.cluster.promote(numberOf(fields, 1));
      return this.#list();
    },
    'Cluster/MemberRemove': (fields) => {
      this.#membership.cluster.remove(numberOf(fields, 1));
      return this.#list();
    },
    'Cluster/MemberUpdate': (fields) => {
      this.#membership.cluster.update(numberOf(fields, 1), textsOf(fields, 2));
      return this.#list();
    },
    'Maintenance/MoveLeader': (fields) => {
      const { cluster, id } = this.#membership;
      cluster.moveLeader(id, numberOf(fields, 1));
      return this.#empty();
    },
  };

  #empty(): Uint8Array {
    return new Message().bytes(1, this.#header()).finish();
  }

  #header(): Uint8Array {
    const { cluster, id } = this.#membership;
    const revision = BigInt(cluster.store.version);
    return new Message()
      .uint(1, cluster.id)
      .uint(2, id)
      .uint(3, revision)
      .uint(4, BigInt(cluster.term))
      .finish();
  }

  #status(): Uint8Array {
    const { cluster, id } = this.#membership;
    cluster.queries += 1;
    const index = BigInt(cluster.store.version + cluster.term);
    const message = new Message().bytes(1, this.#header()).text(2, this.#version);
    message
      .uint(3, 40_960n)
      .uint(4, cluster.leaderOf(id))
      .uint(5, index)
      .uint(6, BigInt(cluster.term));
    message.uint(7, index);
    if (cluster.leaderOf(id) === 0n) message.text(8, 'etcdserver: no leader');
    const isLearner = cluster.find(id)?.isLearner === true;
    return message
      .uint(9, 20_480n)
      .uint(10, isLearner ? 1n : 0n)
      .uint(12, QUOTA)
      .finish();
  }

  /** @param field number of the field with the members */
  #list(field = 2, message = new Message().bytes(1, this.#header())): Uint8Array {
    for (const member of this.#membership.cluster.members)
      message.bytes(field, memberMessage(member));
    return message.finish();
  }

  #hash(): Uint8Array {
    const revision = BigInt(this.#membership.cluster.store.version);
    return new Message()
      .bytes(1, this.#header())
      .uint(2, 7n)
      .uint(3, 1n)
      .uint(4, revision)
      .finish();
  }
}

const OK = { ':status': 200, 'content-type': 'application/grpc' };

function respond(stream: ServerHttp2Stream, message: Uint8Array): void {
  stream.respond(OK, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(framed(message));
}

function refuse(stream: ServerHttp2Stream, status: number, text: string): void {
  const trailers = { 'grpc-status': String(status), 'grpc-message': encodeURIComponent(text) };
  stream.respond({ ...OK, ...trailers }, { endStream: true });
}
