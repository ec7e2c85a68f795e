/**
 * Pure decoders for the responses of the etcd API that the operator uses; `requests.ts` has the encoders. Field numbers
 * are those of `rpc.proto` of etcd 3.6; they never change (https://etcd.io/docs/v3.6/dev-guide/api_reference_v3/).
 * Decoders skip unknown fields. 64-bit numbers do not fit in a JavaScript number, so IDs are hexadecimal text, as
 * etcdctl prints them, and counters are decimal text.
 */
import { malformed, readFields, type Fields } from './wire-fields.ts';

/** Status of one etcd member. The member responds without a quorum. IDs are hexadecimal, counters decimal. */
export interface EtcdStatus {
  readonly clusterId: string;
  readonly memberId: string;
  /** `0` when the member has no leader. */
  readonly leaderId: string;
  readonly term: string;
  readonly raftIndex: string;
  /** Index of the last entry of the log that the member has applied. */
  readonly appliedIndex: string;
  /** Revision of the key-value store. */
  readonly revision: string;
  /** Size of the database file in bytes, and the part of it that is in use. */
  readonly dbSize: string;
  readonly dbSizeInUse: string;
  /** Size in bytes at which etcd raises the alarm NOSPACE; `0` for etcd 3.5 and earlier, which do not report it. */
  readonly dbSizeQuota: string;
  readonly isLearner: boolean;
  /** Such as `3.6.6`. */
  readonly version: string;
  /** Errors that the member reports, such as `etcdserver: no leader` or an alarm; sorted. */
  readonly errors: readonly string[];
}

/** An entry of the member list. */
export interface EtcdListedMember {
  readonly id: string;
  /** Empty until the member has started. */
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly isLearner: boolean;
}

export interface EtcdMemberList {
  readonly clusterId: string;
  /** ID of the member that responded. */
  readonly memberId: string;
  readonly members: readonly EtcdListedMember[];
}

/** Response to the request for a new member. */
export interface EtcdAddedMember extends EtcdMemberList {
  /** ID of the new member. */
  readonly addedId: string;
}

/** Hash of the key-value store of one member. Members with the same data have the same values for one revision. */
export interface EtcdHash {
  /** All values are decimal. */
  readonly hash: string;
  /** Revision of the last compaction. Hashes with different values here are not comparable. */
  readonly compactRevision: string;
  /** Revision of the hash; `0` for etcd 3.5 and earlier. */
  readonly hashRevision: string;
}

/** An alarm. It affects the whole cluster; `memberId` is the member that raised it. */
export interface EtcdAlarm {
  readonly memberId: string;
  readonly alarm: 'NOSPACE' | 'CORRUPT' | 'UNKNOWN';
}

interface Header {
  readonly clusterId: string;
  readonly memberId: string;
  readonly revision: string;
}

const NO_ID = '0';
const NO_HEADER: Header = { clusterId: NO_ID, memberId: NO_ID, revision: '0' };

/** Decodes a StatusResponse. @throws EtcdConnectionError when the message is malformed */
export function readStatus(message: Uint8Array): EtcdStatus {
  const errors: string[] = [];
  const status = {
    ...NO_HEADER,
    leaderId: NO_ID,
    term: '0',
    raftIndex: '0',
    appliedIndex: '0',
    dbSize: '0',
    dbSizeInUse: '0',
    dbSizeQuota: '0',
    isLearner: false,
    version: '',
    errors,
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
    12: (reader) => (status.dbSizeQuota = String(reader.int64())),
  });
  // etcd lists alarms in random order, which is not a change of the status.
  status.errors.sort();
  return status;
}

/**
 * Decodes a MemberListResponse or the response to a removed, promoted or updated member, whose fields are the same.
 * @throws EtcdConnectionError when the message is malformed
 */
export const readMemberList = (message: Uint8Array): EtcdMemberList => readList(message, 2);

/** Decodes a MemberAddResponse. @throws EtcdConnectionError when the message is malformed or names no new member */
export function readAddedMember(message: Uint8Array): EtcdAddedMember {
  let addedId = NO_ID;
  const list = readList(message, 3, { 2: (reader) => (addedId = readMember(reader.bytes()).id) });
  if (addedId === NO_ID) throw malformed();
  return { ...list, addedId };
}

/** @param field number of the field with the members */
function readList(message: Uint8Array, field: number, others: Fields = {}): EtcdMemberList {
  const members: EtcdListedMember[] = [];
  let header = NO_HEADER;
  readFields(message, {
    ...others,
    1: (reader) => (header = readHeader(reader.bytes())),
    [field]: (reader) => members.push(readMember(reader.bytes())),
  });
  const { clusterId, memberId } = header;
  return { clusterId, memberId, members };
}

/** Decodes a HashKVResponse. @throws EtcdConnectionError when the message is malformed */
export function readHashKV(message: Uint8Array): EtcdHash {
  const found = { hash: '0', compactRevision: '0', hashRevision: '0' };
  readFields(message, {
    2: (reader) => (found.hash = String(reader.uint32())),
    3: (reader) => (found.compactRevision = String(reader.int64())),
    4: (reader) => (found.hashRevision = String(reader.int64())),
  });
  return found;
}

/** A message of a snapshot. */
export interface SnapshotPiece {
  /** Bytes that follow in later messages. */
  readonly remaining: bigint;
  readonly blob: Uint8Array;
}

/** Decodes a SnapshotResponse. @throws EtcdConnectionError when the message is malformed */
export function readSnapshotPiece(message: Uint8Array): SnapshotPiece {
  const found: { remaining: bigint; blob: Uint8Array } = { remaining: 0n, blob: new Uint8Array() };
  readFields(message, {
    2: (reader) => (found.remaining = BigInt(reader.uint64())),
    3: (reader) => (found.blob = reader.bytes()),
  });
  return found;
}

/** Keys of a range. */
export interface EtcdRange {
  readonly clusterId: string;
  /** Number of all keys of the range, decimal. */
  readonly count: string;
  /** Value of the first key; absent without one, and in a response that only counts. */
  readonly value?: Uint8Array;
}

/** Decodes a RangeResponse. @throws EtcdConnectionError when the message is malformed */
export function readRange(message: Uint8Array): EtcdRange {
  const found: { clusterId: string; count: string; value?: Uint8Array } = {
    clusterId: NO_ID,
    count: '0',
  };
  readFields(message, {
    1: (reader) => (found.clusterId = readHeader(reader.bytes()).clusterId),
    2: (reader) => (found.value ??= readValue(reader.bytes())),
    4: (reader) => (found.count = String(reader.int64())),
  });
  return found;
}

function readValue(message: Uint8Array): Uint8Array {
  let value: Uint8Array = new Uint8Array();
  readFields(message, { 5: (reader) => (value = reader.bytes()) });
  return value;
}

function readMember(message: Uint8Array): EtcdListedMember {
  const peerURLs: string[] = [];
  const member = { id: NO_ID, name: '', peerURLs, isLearner: false };
  readFields(message, {
    1: (reader) => (member.id = hex(reader.uint64())),
    2: (reader) => (member.name = reader.string()),
    3: (reader) => member.peerURLs.push(reader.string()),
    5: (reader) => (member.isLearner = reader.bool()),
  });
  return member;
}

const ALARMS: Readonly<Record<number, EtcdAlarm['alarm']>> = { 1: 'NOSPACE', 2: 'CORRUPT' };

/** Decodes an AlarmResponse; an empty AlarmRequest lists all alarms. @throws EtcdConnectionError when malformed */
export function readAlarms(message: Uint8Array): readonly EtcdAlarm[] {
  const alarms: EtcdAlarm[] = [];
  readFields(message, { 2: (reader) => alarms.push(readAlarm(reader.bytes())) });
  return alarms;
}

function readAlarm(message: Uint8Array): EtcdAlarm {
  const found: Record<'memberId', string> & { alarm: EtcdAlarm['alarm'] } = {
    memberId: NO_ID,
    alarm: 'UNKNOWN',
  };
  readFields(message, {
    1: (reader) => (found.memberId = hex(reader.uint64())),
    2: (reader) => (found.alarm = ALARMS[reader.int32()] ?? 'UNKNOWN'),
  });
  return found;
}

function readHeader(message: Uint8Array): Header {
  const header = { ...NO_HEADER };
  readFields(message, {
    1: (reader) => (header.clusterId = hex(reader.uint64())),
    2: (reader) => (header.memberId = hex(reader.uint64())),
    3: (reader) => (header.revision = String(reader.int64())),
  });
  return header;
}

/** Formats an ID as etcdctl does. */
const hex = (id: bigint | string | number): string => BigInt(id).toString(16);
