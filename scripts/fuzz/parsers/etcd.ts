/** Decoders of the responses of etcd members. */
import { decoded, framed, MAX_MESSAGE_LENGTH } from '../../../src/etcd/grpc.ts';
import { MessageSplitter } from '../../../src/etcd/message-splitter.ts';
import {
  readAddedMember,
  readAlarms,
  readRange,
  readHashKV,
  readMemberList,
  readSnapshotPiece,
  readStatus,
} from '../../../src/etcd/messages.ts';
import { EtcdConnectionError } from '../../../src/etcd/errors.ts';
import { uidIn } from '../../../src/external-etcd/stored-data.ts';
import type { UntrustedParser } from '../parser.ts';
import { JSON_TOKENS } from './backups.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

const READERS = [
  readStatus,
  readMemberList,
  readAddedMember,
  readAlarms,
  readHashKV,
  readRange,
  readSnapshotPiece,
];

function all(message: Buffer): unknown[] {
  return READERS.map((read) => {
    try {
      return read(message);
    } catch (error) {
      if (error instanceof EtcdConnectionError) return error.message;
      throw error;
    }
  });
}

const TOKENS = [
  '\x0a\x00',
  '\x12\x00',
  '\x42\x00',
  '\x42\x01a',
  '\x80',
  '\xff\xff\xff\xff\x0f',
  '\x08\x01',
  '\x0b',
  '\x0c',
  '\x0d\x00\x00\x00\x00',
  '\x12\x04\x08\x0a\x10\x01',
  '\x00',
];

const SEEDS = [
  bytes('0a1a0895a2b49b8bcff6e48c0110b0a786f6f0fda5beac01180120021205332e362e361880c001'),
  bytes('0a0408011002 120e 080a 120161 1a0170 1a0171 220163 1204 080b 2801'),
  bytes('1204080a1001 1204080b1002 1204080c1007'),
  bytes('0a0408011002 10ffffffff0f 1805 20ffffffffffffffff7f'),
];

export const ETCD_PARSERS: readonly UntrustedParser[] = [
  {
    name: 'message of etcd',
    seeds: SEEDS,
    tokens: TOKENS,
    errors: [],
    limit: MAX_MESSAGE_LENGTH,
    parse: all,
  },
  {
    name: 'stream of messages of etcd',
    seeds: [Buffer.concat(SEEDS.map(framed))],
    tokens: ['\x00\x00\x00\x00\x01a', '\x00\x00\x00\x00\x00', '\x00\x00\x3f\xff\xff', '\x01'],
    errors: ['Error'],
    limit: Infinity,
    parse: (input: Buffer): unknown => {
      const splitter = new MessageSplitter();
      const found: Buffer[] = [];
      for (let at = 0; at < input.length; at += 7)
        found.push(...splitter.add(input.subarray(at, at + 7)));
      return found;
    },
  },
  {
    name: 'stored object in an external etcd',
    seeds: [
      Buffer.from('{"kind":"Namespace","metadata":{"name":"kube-system","uid":"a-1"}}'),
      Buffer.concat([Buffer.from('k8s\0'), bytes('12 07 0a 05 2a 03 61 2d 31')]),
    ],
    tokens: [...JSON_TOKENS, ...TOKENS, 'k8s\0', '"metadata":', '"uid":'],
    errors: [],
    limit: MAX_MESSAGE_LENGTH,
    parse: uidIn,
  },
  {
    name: 'error text of etcd',
    seeds: [Buffer.from('etcdserver: no leader%20%C3%A9')],
    tokens: ['%', '%2', '%25', '%C3', 'a'],
    errors: [],
    limit: MAX_MESSAGE_LENGTH,
    parse: (input) => decoded(input.toString('latin1')),
  },
];
