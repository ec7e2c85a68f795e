import { describe, expect, it } from '@jest/globals';
import {
  addLearnerRequest,
  disarmRequest,
  hashKVRequest,
  memberListRequest,
  memberRequest,
  rangeRequest,
  updateMemberRequest,
} from './requests.ts';

describe('etcd requests', () => {
  // Field numbers: MemberAddRequest{peerURLs=1, isLearner=2}, MemberUpdateRequest{ID=1, peerURLs=2}, AlarmRequest{action=1, memberID=2, alarm=3}.
  it.each<[string, Uint8Array, string]>([
    ['a linearizable MemberListRequest', memberListRequest(true), '0801'],
    ['a MemberListRequest for the local list', memberListRequest(false), '0800'],
    ['a RangeRequest', rangeRequest('health'), '0a066865616c7468'],
    [
      'a MemberAddRequest',
      addLearnerRequest('https://b:2380'),
      '0a0e68747470733a2f2f623a323338301001',
    ],
    ['a request for a member', memberRequest('ac7c97ef0ec193b0'), '08b0a786f6f0fda5beac01'],
    [
      'a MemberUpdateRequest',
      updateMemberRequest('a', ['http://b', 'https://b']),
      '080a1208687474703a2f2f62120968747470733a2f2f62',
    ],
    ['the greatest ID', memberRequest('ffffffffffffffff'), '08ffffffffffffffffff01'],
    [
      'an AlarmRequest for NOSPACE',
      disarmRequest({ memberId: 'ac7c97ef0ec193b0', alarm: 'NOSPACE' }),
      '080210b0a786f6f0fda5beac011801',
    ],
    [
      'an AlarmRequest for CORRUPT',
      disarmRequest({ memberId: 'a', alarm: 'CORRUPT' }),
      '0802100a1802',
    ],
    ['a HashKVRequest for the current revision', hashKVRequest('0'), '0800'],
    ['the greatest revision', hashKVRequest('9223372036854775807'), '08ffffffffffffffff7f'],
  ])('encodes %s as etcdctl does', (_, message, hexadecimal) => {
    expect(Buffer.from(message).toString('hex')).toBe(hexadecimal);
  });

  it.each(['', 'no ID', '10000000000000000', '-1'])('rejects the member ID "%s"', (id) => {
    expect(() => memberRequest(id)).toThrow();
  });

  it.each(['now', '9223372036854775808'])('rejects the revision "%s"', (revision) => {
    expect(() => hashKVRequest(revision)).toThrow();
  });
});
