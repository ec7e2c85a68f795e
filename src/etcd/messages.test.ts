import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EtcdConnectionError } from './errors.ts';
import {
  memberListRequest,
  rangeRequest,
  readAlarms,
  readMemberList,
  readStatus,
} from './messages.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');

describe('etcd messages', () => {
  it('decodes a StatusResponse of etcd 3.6.6 with IDs as etcdctl prints them', () => {
    // Bytes of a real member: header (cluster, member, revision, term), version, size.
    const status = readStatus(
      bytes('0a1a0895a2b49b8bcff6e48c0110b0a786f6f0fda5beac01180120021205332e362e361880c001'),
    );
    expect(status).toEqual({
      clusterId: '8cc9da78b36d1115',
      memberId: 'ac7c97ef0ec193b0',
      leaderId: '0',
      term: '0',
      raftIndex: '0',
      appliedIndex: '0',
      dbSize: '24576',
      dbSizeInUse: '0',
      isLearner: false,
      version: '3.6.6',
      errors: [],
    });
  });

  it('decodes 64-bit numbers without loss and skips unknown fields', () => {
    // leader, raft index, raft term: 2^64-1 each; errors; learner; field 99 of another type.
    const max = 'ffffffffffffffffff01';
    const status = readStatus(bytes(`20${max} 28${max} 30${max} 420178 420179 5001 9a06026162`));
    expect(status).toMatchObject({
      leaderId: 'ffffffffffffffff',
      raftIndex: '18446744073709551615',
      term: '18446744073709551615',
      errors: ['x', 'y'],
      isLearner: true,
    });
  });

  it('decodes a MemberListResponse with a member that has not started', () => {
    // header{1,2}, members{ID 10, name a, two peer URLs, one client URL}, members{ID 11, learner}.
    const list = readMemberList(
      bytes('0a0408011002 120e 080a 120161 1a0170 1a0171 220163 1204 080b 2801'),
    );
    expect(list).toEqual({
      clusterId: '1',
      memberId: '2',
      members: [
        { id: 'a', name: 'a', peerURLs: ['p', 'q'], isLearner: false },
        { id: 'b', name: '', peerURLs: [], isLearner: true },
      ],
    });
  });

  it('decodes an AlarmResponse with the member of each alarm', () => {
    expect(readAlarms(bytes('1204080a1001 1204080b1002 1204080c1007'))).toEqual([
      { memberId: 'a', alarm: 'NOSPACE' },
      { memberId: 'b', alarm: 'CORRUPT' },
      { memberId: 'c', alarm: 'UNKNOWN' },
    ]);
  });

  it('encodes requests as etcdctl does', () => {
    expect(Buffer.from(memberListRequest(true)).toString('hex')).toBe('0801');
    expect(Buffer.from(rangeRequest('health')).toString('hex')).toBe('0a066865616c7468');
  });

  it('returns a value or throws EtcdConnectionError for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (message) => {
        for (const read of [readStatus, readMemberList, readAlarms])
          try {
            read(message);
          } catch (error) {
            expect(error).toBeInstanceOf(EtcdConnectionError);
          }
      }),
    );
  });
});
