/**
 * Pure encoders for the requests of the etcd API that the operator sends. Field numbers are those of `rpc.proto` of
 * etcd 3.6, as in `messages.ts`. An encoder throws a SyntaxError or Error for an ID or a revision that is no number of
 * 64 bits.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { EtcdAlarm } from './messages.ts';

/** An alarm that can be disarmed. A later etcd may know other alarms, which the operator does not disarm. */
export interface KnownAlarm extends EtcdAlarm {
  readonly alarm: 'NOSPACE' | 'CORRUPT';
}

/** Encodes a MemberListRequest. */
export function memberListRequest(linearizable: boolean): Uint8Array {
  return new BinaryWriter().tag(1, WireType.Varint).bool(linearizable).finish();
}

/** Encodes a RangeRequest for one key as a linearizable read. */
export function rangeRequest(key: string): Uint8Array {
  return new BinaryWriter().tag(1, WireType.LengthDelimited).string(key).finish();
}

/** Encodes a RangeRequest that counts the keys with a prefix as a linearizable read. @param prefix not empty */
export function countPrefixRequest(prefix: string): Uint8Array {
  const start = Buffer.from(prefix, 'utf8');
  const end = Buffer.from(start);
  // No character of a prefix ends in the byte 255.
  const last = end.length - 1;
  end.writeUInt8(end.readUInt8(last) + 1, last);
  const range = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(start);
  range.tag(2, WireType.LengthDelimited).bytes(end);
  return range.tag(9, WireType.Varint).bool(true).finish();
}

/**
 * Encodes a RangeRequest that counts all keys at a revision, without a quorum.
 * @param revision in decimal
 */
export function countRequest(revision: string): Uint8Array {
  // The range from the key 0 to the end 0 has all keys.
  const zero = new Uint8Array([0]);
  const range = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(zero);
  range.tag(2, WireType.LengthDelimited).bytes(zero);
  range.tag(4, WireType.Varint).int64(BigInt(revision));
  range.tag(7, WireType.Varint).bool(true);
  return range.tag(9, WireType.Varint).bool(true).finish();
}

/** Encodes a MemberAddRequest for a learner with one peer URL. */
export function addLearnerRequest(peerURL: string): Uint8Array {
  const url = new BinaryWriter().tag(1, WireType.LengthDelimited).string(peerURL);
  return url.tag(2, WireType.Varint).bool(true).finish();
}

/**
 * Encodes a MemberRemoveRequest, a MemberPromoteRequest or a MoveLeaderRequest. Their only field is the member.
 * @param id in hexadecimal
 */
export function memberRequest(id: string): Uint8Array {
  return new BinaryWriter().tag(1, WireType.Varint).uint64(idOf(id)).finish();
}

/**
 * Encodes a MemberUpdateRequest, which replaces all peer URLs of a member.
 * @param id in hexadecimal
 */
export function updateMemberRequest(id: string, peerURLs: readonly string[]): Uint8Array {
  const member = new BinaryWriter().tag(1, WireType.Varint).uint64(idOf(id));
  for (const url of peerURLs) member.tag(2, WireType.LengthDelimited).string(url);
  return member.finish();
}

/** Value of `AlarmRequest.action` that disarms an alarm. */
const DEACTIVATE = 2;

/** Values of the enum `AlarmType`. */
const ALARM_TYPES: Readonly<Record<KnownAlarm['alarm'], number>> = { NOSPACE: 1, CORRUPT: 2 };

/** Encodes an AlarmRequest that disarms one alarm of one member. */
export function disarmRequest({ memberId, alarm }: KnownAlarm): Uint8Array {
  const action = new BinaryWriter().tag(1, WireType.Varint).int32(DEACTIVATE);
  const member = action.tag(2, WireType.Varint).uint64(idOf(memberId));
  return member.tag(3, WireType.Varint).int32(ALARM_TYPES[alarm]).finish();
}

/**
 * Encodes a HashKVRequest.
 * @param revision in decimal; `0` is the current revision of the member
 */
export function hashKVRequest(revision: string): Uint8Array {
  return new BinaryWriter().tag(1, WireType.Varint).int64(BigInt(revision)).finish();
}

/**
 * Encodes a CompactionRequest that waits until the member has removed the history.
 * @param revision in decimal
 */
export function compactRequest(revision: string): Uint8Array {
  const until = new BinaryWriter().tag(1, WireType.Varint).int64(BigInt(revision));
  return until.tag(2, WireType.Varint).bool(true).finish();
}

const idOf = (hexadecimal: string): bigint => BigInt(`0x${hexadecimal}`);
