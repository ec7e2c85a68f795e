import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerOf, AT, podOf } from '../../etcd/__fixtures__/answers.ts';
import type { EtcdMemberStatus } from '../../etcd/member-status.ts';
import { etcdView } from '../../etcd/view.ts';
import type { EtcdRecord } from '../identity/record.ts';
import { confirmedMember, valueFor } from './confirmed-member.ts';
import { refusalOf, survivorsOf, type Present } from './survivors.ts';

const PODS = ['demo-etcd-0', 'demo-etcd-1', 'demo-etcd-2', 'demo-etcd-3', 'demo-etcd-4'];
const RECORD: EtcdRecord = {
  state: 'born',
  token: 't',
  members: 3,
  clusterID: 'a',
  ca: 'ca',
};
const ALONE = { leaderId: '0', confirmed: false } as const;

const presentWith = (
  members: readonly string[],
  answers: Readonly<Record<string, Partial<EtcdMemberStatus> & { readonly cluster?: string }>>,
  more: Partial<Present> = {},
): Present => ({
  view: etcdView(
    [
      ...Object.entries(answers).map(([pod, given]) =>
        answerOf(pod, members, { ...ALONE, ...given }),
      ),
      ...members
        .filter((pod) => !(pod in answers))
        .map((pod) => ({ pod, podUid: podOf(pod).uid, at: AT, cause: 'no response' })),
    ],
    members.map(podOf),
    AT,
  ),
  record: RECORD,
  storage: 'volumeClaim',
  ready: [],
  missingRights: [],
  stored: [],
  ...more,
});

const THREE = PODS.slice(0, 3);
const survivor = { 'demo-etcd-0': { revision: '50', raftIndex: '100' } };

describe('confirmedMember', () => {
  it('reads what valueFor writes', () => {
    const value = { pod: 'demo-etcd-0', clusterID: '5f0c', revision: '481203' };
    expect(confirmedMember(valueFor(value))).toEqual(value);
    const stored = { pod: 'demo-etcd-0', clusterID: '5f0c' };
    expect(confirmedMember(valueFor(stored))).toEqual(stored);
  });

  it.each([
    '',
    'yes',
    'demo-etcd-0',
    'demo-etcd-0/a',
    'demo-etcd-0/a/x',
    'demo-etcd-0/a/1/2',
    '../a/1',
  ])('rejects %p', (value) => expect(confirmedMember(value)).toBeUndefined());

  it('accepts no text with characters of a shell, a URL or YAML', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = confirmedMember(text);
        if (found !== undefined) expect(Object.values(found).join('')).toMatch(/^[a-z0-9.-]+$/);
      }),
    );
  });
});

describe('survivorsOf', () => {
  it('lists voters, those with the newest data first', () => {
    const { view } = presentWith(PODS, {
      'demo-etcd-0': { raftIndex: '100', revision: '50' },
      'demo-etcd-1': { raftIndex: '120', revision: '60' },
      'demo-etcd-2': { isLearner: true },
    });
    expect(survivorsOf(view).map(({ pod }) => pod)).toEqual(['demo-etcd-1', 'demo-etcd-0']);
  });
});

describe('refusalOf', () => {
  it('accepts the value that describes the only survivor', () => {
    expect(refusalOf('demo-etcd-0/a/50', presentWith(THREE, survivor))).toBeUndefined();
  });

  it.each<readonly [string, string, Present, string]>([
    ['is not valid', 'yes', presentWith(THREE, survivor), 'MEMBER/CLUSTER_ID/REVISION'],
    [
      'names another cluster',
      'demo-etcd-0/b/50',
      presentWith(THREE, survivor),
      'belongs to cluster a, not b',
    ],
    [
      'names a lower revision',
      'demo-etcd-0/a/49',
      presentWith(THREE, survivor),
      'has revision 50, not 49',
    ],
    [
      'names a higher revision',
      'demo-etcd-0/a/51',
      presentWith(THREE, survivor),
      'has revision 50, not 51',
    ],
    [
      'names a member that does not respond',
      'demo-etcd-1/a/50',
      presentWith(THREE, survivor),
      'demo-etcd-1 does not respond; demo-etcd-0 does',
    ],
    [
      'does not name the member with the newest data',
      'demo-etcd-0/a/50',
      presentWith(PODS, { ...survivor, 'demo-etcd-1': { raftIndex: '101', revision: '50' } }),
      'name it instead: demo-etcd-1/a/50',
    ],
    [
      'names a learner',
      'demo-etcd-0/a/50',
      presentWith(THREE, { 'demo-etcd-0': { isLearner: true } }),
      'does not respond',
    ],
    [
      'is set while members that respond could form a quorum',
      'demo-etcd-0/a/50',
      presentWith(THREE, { ...survivor, 'demo-etcd-1': {} }),
      '2 of 3 members respond',
    ],
    [
      'is set while there is a quorum',
      'demo-etcd-0/a/50',
      presentWith(THREE, {
        'demo-etcd-0': { leaderId: '0a', confirmed: true },
        'demo-etcd-1': { leaderId: '0a', confirmed: true },
      }),
      'etcd has a quorum',
    ],
    [
      'is set while the member reports a leader',
      'demo-etcd-0/a/50',
      presentWith(THREE, { 'demo-etcd-0': { leaderId: '0b' } }),
      'reports a leader',
    ],
    [
      'is set while the kubelet reports a member as ready',
      'demo-etcd-0/a/50',
      presentWith(THREE, survivor, { ready: ['demo-etcd-2'] }),
      'Pod demo-etcd-2 is Ready',
    ],
    [
      'is set for data in another kind of volume',
      'demo-etcd-0/a/50',
      presentWith(THREE, survivor, { storage: 'emptyDir' }),
      'emptyDir',
    ],
    [
      'is set without the permission to create Pods',
      'demo-etcd-0/a/50',
      presentWith(THREE, survivor, { missingRights: ['create pods'] }),
      'create pods',
    ],
    [
      'is set without a record',
      'demo-etcd-0/a/50',
      presentWith(THREE, survivor, { record: undefined }),
      'has no record',
    ],
  ])('refuses a value that %s', (_, value, present, text) => {
    expect(refusalOf(value, present)).toContain(text);
  });

  describe('for data in a PVC', () => {
    const stored = [{ pod: 'demo-etcd-0', clusterID: 'a' }];

    it('accepts a member that does not respond', () => {
      expect(refusalOf('demo-etcd-0/a/volume', presentWith(THREE, {}, { stored }))).toBeUndefined();
    });

    it.each<readonly [string, string, Present, string]>([
      [
        'a member responds',
        'demo-etcd-0/a/volume',
        presentWith(THREE, survivor, { stored }),
        'name it with its revision instead: demo-etcd-0/a/50',
      ],
      [
        'another member responds',
        'demo-etcd-0/a/volume',
        presentWith(THREE, { 'demo-etcd-1': { revision: '50' } }, { stored }),
        'member demo-etcd-1 responds',
      ],
      [
        'a Pod is ready although no member responds to the operator',
        'demo-etcd-0/a/volume',
        presentWith(THREE, {}, { stored, ready: ['demo-etcd-0'] }),
        'Pod demo-etcd-0 is Ready',
      ],
      [
        'the PVC does not exist',
        'demo-etcd-1/a/volume',
        presentWith(THREE, {}, { stored }),
        'no PersistentVolumeClaim of member demo-etcd-1',
      ],
      [
        'the value names another cluster',
        'demo-etcd-0/b/volume',
        presentWith(THREE, {}, { stored }),
        'has data of cluster a, not b',
      ],
      [
        'the value has a revision',
        'demo-etcd-0/a/50',
        presentWith(THREE, {}, { stored }),
        'use demo-etcd-0/a/volume',
      ],
    ])('refuses if %s', (_, value, present, text) => {
      expect(refusalOf(value, present)).toContain(text);
    });
  });

  describe('for an etcd of the Go operator that serves', () => {
    const replaced = { cause: 'neverOneCluster' } as const;
    const split = (more: Partial<Present> = {}): Present =>
      presentWith(
        THREE,
        {
          'demo-etcd-0': { revision: '50', leaderId: '0a', confirmed: true },
          'demo-etcd-1': { revision: '900', leaderId: '0b', confirmed: true, cluster: 'b' },
        },
        { replaced, record: undefined, ready: THREE, ...more },
      );

    it.each<readonly [string, string]>([
      ['the present revision', 'demo-etcd-0/a/50'],
      ['a revision that was passed since', 'demo-etcd-0/a/40'],
      ['the member of the other cluster', 'demo-etcd-1/b/900'],
    ])('accepts %s', (_, value) => {
      expect(refusalOf(value, split())).toBeUndefined();
    });

    it.each<readonly [string, string, Partial<Present>, string]>([
      ['a revision that the member does not have', 'demo-etcd-0/a/51', {}, 'lower than 51'],
      ['another cluster', 'demo-etcd-0/b/50', {}, 'belongs to cluster a, not b'],
      ['a member that does not respond', 'demo-etcd-2/b/50', {}, 'demo-etcd-2 does not respond'],
      ['no revision', 'demo-etcd-0/a/volume', {}, 'with its revision instead: demo-etcd-0/a/50'],
      ['other storage', 'demo-etcd-0/a/50', { storage: 'emptyDir' }, 'set volumeClaim'],
      [
        'missing permissions',
        'demo-etcd-0/a/50',
        { missingRights: ['create pods'] },
        'create pods',
      ],
      [
        'an image of etcd 3.5',
        'demo-etcd-0/a/50',
        { replaced: { ...replaced, unableImage: 'etcd:3.5.16-0' } },
        'etcd:3.5.16-0',
      ],
    ])('refuses %s', (_, value, more, text) => {
      expect(refusalOf(value, split(more))).toContain(text);
    });
  });

  it('refuses while members belong to different clusters', () => {
    const split = presentWith(THREE, { ...survivor, 'demo-etcd-1': { cluster: 'b' } });
    expect(refusalOf('demo-etcd-0/a/50', split)).toContain('different etcd clusters');
  });
});
