import { describe, expect, it } from '@jest/globals';
import { alarmsIn, type EtcdMemberStatus } from './member-status.ts';

describe('alarmsIn', () => {
  it.each<[string, EtcdMemberStatus['alarms']]>([
    // The text of etcd 3.6.6, with the space at its end.
    [
      'memberID:12428976124636271536 alarm:NOSPACE ',
      [{ memberId: 'ac7c97ef0ec193b0', alarm: 'NOSPACE' }],
    ],
    ['memberID:10  alarm:CORRUPT', [{ memberId: 'a', alarm: 'CORRUPT' }]],
    ['memberID:10 alarm:OTHER ', [{ memberId: 'a', alarm: 'UNKNOWN' }]],
    ['memberID:10 ', []],
    ['etcdserver: no leader', []],
    ['', []],
  ])('reads the error "%s" of a status', (error, alarms) => {
    expect(alarmsIn([error])).toEqual(alarms);
  });

  it('reads all alarms of all members', () => {
    const errors = [
      'memberID:1 alarm:NOSPACE ',
      'memberID:2 alarm:NOSPACE ',
      'memberID:2 alarm:CORRUPT ',
    ];
    expect(alarmsIn(errors).map(({ memberId, alarm }) => `${memberId} ${alarm}`)).toEqual([
      '1 NOSPACE',
      '2 NOSPACE',
      '2 CORRUPT',
    ]);
  });
});
