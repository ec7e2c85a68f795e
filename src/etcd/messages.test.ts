import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EtcdConnectionError } from './errors.ts';
import { readAddedMember, readAlarms, readHashKV, readMemberList, readStatus } from './messages.ts';

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
      revision: '1',
      dbSize: '24576',
      dbSizeInUse: '0',
      dbSizeQuota: '0',
      isLearner: false,
      version: '3.6.6',
      errors: [],
    });
  });

  it('decodes 64-bit numbers without loss and skips unknown fields', () => {
    // leader, raft index, raft term: 2^64-1 each; errors y and x; learner; field 99 of another type.
    const max = 'ffffffffffffffffff01';
    const status = readStatus(bytes(`20${max} 28${max} 30${max} 420179 420178 5001 9a06026162`));
    expect(status).toMatchObject({
      leaderId: 'ffffffffffffffff',
      raftIndex: '18446744073709551615',
      term: '18446744073709551615',
      errors: ['x', 'y'],
      isLearner: true,
    });
  });

  it('decodes revision, sizes and quota of a StatusResponse', () => {
    // header{revision 5}, dbSize 3, raftAppliedIndex 7, dbSizeInUse 2, storageVersion, dbSizeQuota 2 GiB.
    const status = readStatus(bytes('0a021805 1803 3807 4802 5a03332e36 608080808008'));
    expect(status).toMatchObject({
      revision: '5',
      dbSize: '3',
      appliedIndex: '7',
      dbSizeInUse: '2',
      dbSizeQuota: '2147483648',
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

  it('decodes a MemberAddResponse with the new member and all members', () => {
    // header{1,2}, member{ID 11, peer URL, learner}, members{ID 10, name, peer URL}, members{the new member}.
    const response =
      '0a0408011002 1207 080b 1a0170 2801 1a08 080a 120161 1a0171 1a07 080b 1a0170 2801';
    expect(readAddedMember(bytes(response))).toEqual({
      clusterId: '1',
      memberId: '2',
      addedId: 'b',
      members: [
        { id: 'a', name: 'a', peerURLs: ['q'], isLearner: false },
        { id: 'b', name: '', peerURLs: ['p'], isLearner: true },
      ],
    });
  });

  it('rejects a MemberAddResponse without the ID of the new member', () => {
    expect(() => readAddedMember(bytes('0a0408011002'))).toThrow(EtcdConnectionError);
  });

  it('decodes a HashKVResponse without loss', () => {
    // header, hash 2^32-1, compact_revision 5, hash_revision 2^63-1.
    expect(readHashKV(bytes('0a0408011002 10ffffffff0f 1805 20ffffffffffffffff7f'))).toEqual({
      hash: '4294967295',
      compactRevision: '5',
      hashRevision: '9223372036854775807',
    });
  });

  it('returns a value or throws EtcdConnectionError for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (message) => {
        for (const read of [readStatus, readMemberList, readAddedMember, readAlarms, readHashKV])
          try {
            read(message);
          } catch (error) {
            expect(error).toBeInstanceOf(EtcdConnectionError);
          }
      }),
    );
  });
});
