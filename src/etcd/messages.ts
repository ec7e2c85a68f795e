/**
 * Messages of etcd's API as far as the operator uses them; pure. Numbers of fields are those of `rpc.proto` of etcd 3.6,
 * which never change (https://etcd.io/docs/v3.6/dev-guide/api_reference_v3/). Unknown fields are skipped. 64-bit
 * numbers exceed what a JavaScript number holds: IDs are hexadecimal text as etcdctl prints them, counters decimal text.
 */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { CODE, EtcdConnectionError } from './errors.ts';

/** How one member is, by itself. It answers without a quorum. */
export interface EtcdStatus {
  readonly clusterId: string;
  readonly memberId: string;
  /** `0` when it knows of no leader. */
  readonly leaderId: string;
  readonly term: string;
  readonly raftIndex: string;
  readonly appliedIndex: string;
  /** Bytes of the database file, and how many of them are in use. */
  readonly dbSize: string;
  readonly dbSizeInUse: string;
  readonly isLearner: boolean;
  /** Such as `3.6.6`. */
  readonly version: string;
  /** What it finds wrong with itself, such as `etcdserver: no leader` or an alarm. */
  readonly errors: readonly string[];
}

/** A member as the members' list has it. */
export interface EtcdListedMember {
  readonly id: string;
  /** Empty until it has started. */
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly isLearner: boolean;
}

export interface EtcdMemberList {
  readonly clusterId: string;
  /** The member that answered. */
  readonly memberId: string;
  readonly members: readonly EtcdListedMember[];
}

/** An alarm that a member has raised for the whole cluster. */
export interface EtcdAlarm {
  readonly memberId: string;
  readonly alarm: 'NOSPACE' | 'CORRUPT' | 'UNKNOWN';
}

interface Header {
  readonly clusterId: string;
  readonly memberId: string;
}

const NO_ID = '0';

/** MemberListRequest. */
export function memberListRequest(linearizable: boolean): Uint8Array {
  return new BinaryWriter().tag(1, WireType.Varint).bool(linearizable).finish();
}

/** RangeRequest of one key, with a quorum. */
export function rangeRequest(key: string): Uint8Array {
  return new BinaryWriter().tag(1, WireType.LengthDelimited).string(key).finish();
}

/** StatusResponse. @throws EtcdConnectionError for what is none */
export function readStatus(message: Uint8Array): EtcdStatus {
  const status = {
    ...{ clusterId: NO_ID, memberId: NO_ID, leaderId: NO_ID, term: '0' },
    ...{ raftIndex: '0', appliedIndex: '0', dbSize: '0', dbSizeInUse: '0' },
    ...{ isLearner: false, version: '', errors: [] as string[] },
  };
  readFields(message, {
    1: (reader) => Object.assign(status, readHeader(reader.bytes())),
    2: (reader) => (status.version = reader.string()),
    3: (reader) => (status.dbSize = String(reader.int64())),
    4: (reader) => (status.leaderId = hex(reader.uint64())),
    5: (reader) => (status.raftIndex = String(reader.uint64())),
    6: (reader) => (status.term = String(reader.uint64())),
    7: (reader) => (status.appliedIndex = String(reader.uint64())),
    8: (reader) => status.errors.push(reader.string()),
    9: (reader) => (status.dbSizeInUse = String(reader.int64())),
    10: (reader) => (status.isLearner = reader.bool()),
  });
  return status;
}

/** MemberListResponse. @throws EtcdConnectionError for what is none */
export function readMemberList(message: Uint8Array): EtcdMemberList {
  const list = { clusterId: NO_ID, memberId: NO_ID, members: [] as EtcdListedMember[] };
  readFields(message, {
    1: (reader) => Object.assign(list, readHeader(reader.bytes())),
    2: (reader) => list.members.push(readMember(reader.bytes())),
  });
  return list;
}

function readMember(message: Uint8Array): EtcdListedMember {
  const member = { id: NO_ID, name: '', peerURLs: [] as string[], isLearner: false };
  readFields(message, {
    1: (reader) => (member.id = hex(reader.uint64())),
    2: (reader) => (member.name = reader.string()),
    3: (reader) => member.peerURLs.push(reader.string()),
    5: (reader) => (member.isLearner = reader.bool()),
  });
  return member;
}

const ALARMS: Readonly<Record<number, EtcdAlarm['alarm']>> = { 1: 'NOSPACE', 2: 'CORRUPT' };

/** AlarmResponse; the request without a field lists all alarms. @throws EtcdConnectionError for what is none */
export function readAlarms(message: Uint8Array): readonly EtcdAlarm[] {
  const alarms: EtcdAlarm[] = [];
  readFields(message, { 2: (reader) => alarms.push(readAlarm(reader.bytes())) });
  return alarms;
}

function readAlarm(message: Uint8Array): EtcdAlarm {
  const found = { memberId: NO_ID, alarm: 'UNKNOWN' as EtcdAlarm['alarm'] };
  readFields(message, {
    1: (reader) => (found.memberId = hex(reader.uint64())),
    2: (reader) => (found.alarm = ALARMS[reader.int32()] ?? 'UNKNOWN'),
  });
  return found;
}

function readHeader(message: Uint8Array): Header {
  const header = { clusterId: NO_ID, memberId: NO_ID };
  readFields(message, {
    1: (reader) => (header.clusterId = hex(reader.uint64())),
    2: (reader) => (header.memberId = hex(reader.uint64())),
  });
  return header;
}

/** As etcdctl prints an ID. */
const hex = (id: bigint | string | number): string => BigInt(id).toString(16);

type Fields = Readonly<Record<number, (reader: BinaryReader) => unknown>>;

/** Reads a message field by field; the server is a stranger until proven otherwise. */
function readFields(message: Uint8Array, fields: Fields): void {
  try {
    const reader = new BinaryReader(message);
    while (reader.pos < reader.len) {
      const [number, type] = reader.tag();
      const read = fields[number];
      if (read === undefined) reader.skip(type, number);
      else read(reader);
    }
  } catch {
    throw new EtcdConnectionError({ stage: 'answer', code: CODE.malformed });
  }
}
