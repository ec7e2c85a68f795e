import { describe, expect, it } from '@jest/globals';
import { AT } from '../../etcd/__fixtures__/answers.ts';
import {
  factsWith,
  joinEntry,
  memberId,
  nameOf,
  type Given,
} from '../../etcd-cluster/members/__fixtures__/facts.ts';
import { peerURL } from '../../etcd-cluster/members/facts.ts';
import { nextStep } from './next-step.ts';
import { shrink } from '../../etcd-cluster/members/remove.ts';
import type { MemberStep } from '../../etcd-cluster/members/step.ts';

/** Decisive fields of a step, and a part of its message. */
type Expected = Readonly<Record<string, unknown>> & { readonly kind: MemberStep['kind'] };
type Row = readonly [title: string, given: Given, expected: Expected];

const text = (part: string): unknown => expect.stringContaining(part);
const pod = (ordinal: number): object => ({ pod: { ordinal, name: nameOf(ordinal) } });
const claim = (ordinal: number): object => ({
  claim: { ordinal, name: `etcd-data-${nameOf(ordinal)}` },
});

const NONE: Expected = { kind: 'none' };
const wait = (part: string): Expected => ({ kind: 'wait', isJoining: false, message: text(part) });
const waitForLearner = (part: string): Expected => ({
  kind: 'wait',
  isJoining: true,
  message: text(part),
});
const blocked = (reason: string, part: string): Expected => ({
  kind: 'blocked',
  reason,
  message: text(part),
});
const remove = (ordinal: number, part: string): Expected => ({
  kind: 'removeMember',
  memberId: memberId(ordinal),
  message: text(part),
});
const recreate = (ordinal: number, part: string): Expected => ({
  kind: 'recreate',
  ...pod(ordinal),
  message: text(part),
});
const addLearner = (ordinal: number): Expected => ({
  kind: 'addLearner',
  ...pod(ordinal),
  message: text('joins the cluster as a learner'),
});

/** First member, listed with another DNS domain. */
const MOVED = {
  id: memberId(0),
  name: nameOf(0),
  isLearner: false,
  peerURLs: [`https://${nameOf(0)}.demo-etcd.ns.svc.wrong.example:2380`],
};

function decides(rows: readonly Row[]): void {
  it.each(rows)('%s', (_, given, expected) => {
    expect(nextStep(factsWith(given))).toMatchObject(expected);
  });
}

const EXACT_FIVE = { voters: [0, 1, 2, 3, 4] };

describe('conditions for any change', () => {
  decides([
    ['does nothing when the members are as desired', {}, NONE],
    ['does nothing before etcd has formed its cluster', { isFormed: false }, NONE],
    [
      'waits with another number of members until etcd has formed its cluster',
      { isFormed: false, wanted: 5 },
      wait('have not formed their cluster yet'),
    ],
    [
      'does not judge the members of an etcd that has not formed its cluster',
      { isFormed: false, answers: { 2: { clusterId: 'b' } } },
      NONE,
    ],
    [
      'is blocked when the members belong to different clusters',
      { answers: { 2: { clusterId: 'b' } } },
      blocked('SplitBrain', 'members of different etcd clusters'),
    ],
    ['does nothing without a quorum', { silent: [1, 2] }, NONE],
    [
      'waits with another number of members until a quorum is healthy',
      { silent: [1, 2], wanted: 5 },
      wait('no quorum of healthy members'),
    ],
    [
      'removes no lost member without a quorum',
      { silent: [1, 2], wanted: 5, pods: { 1: { hasLostData: true }, 2: { hasLostData: true } } },
      wait('no quorum of healthy members'),
    ],
    [
      'lists a single member with the corrected DNS domain of its Pod',
      { voters: [0], view: { members: [MOVED] } },
      { kind: 'updatePeerURLs', memberId: memberId(0), peerURLs: [peerURL(factsWith(), 0)] },
    ],
    [
      'changes no peer URL of a single member of another control plane',
      { voters: [0], view: { members: [{ ...MOVED, name: 'other' }] } },
      blocked('EtcdMembersBlocked', 'belongs to no Pod'),
    ],
    [
      'changes no peer URL while other members exist',
      { voters: [1, 2], replicas: 3, wanted: 3, strangers: [MOVED] },
      blocked('EtcdMembersBlocked', 'belongs to no Pod'),
    ],
    [
      'is blocked when a member is no Pod of the StatefulSet',
      {
        wanted: 5,
        strangers: [{ id: 'ff', name: 'x', peerURLs: ['https://x:2380'], isLearner: false }],
      },
      blocked('EtcdMembersBlocked', 'member ff (https://x:2380) belongs to no Pod'),
    ],
  ]);
});

describe('the permission to join', () => {
  const joining = { join: joinEntry(0) };
  const ended: Expected = { kind: 'endJoin', ...pod(2), message: text('has joined the cluster') };
  decides([
    ['ends for a voter', { pods: { 2: joining } }, ended],
    [
      'ends for a learner that has started',
      { voters: [0, 1], replicas: 3, wanted: 3, learner: { ordinal: 2 }, pods: { 2: joining } },
      ended,
    ],
    [
      'ends for a Pod that is not in the cluster',
      { voters: [0, 1], replicas: 3, wanted: 3, pods: { 2: joining } },
      { kind: 'endJoin', ...pod(2), message: text('is no member of the cluster') },
    ],
    [
      'ends before a lost member is removed',
      { silent: [1], pods: { 1: { hasLostData: true }, 2: joining } },
      ended,
    ],
    [
      'remains for a learner that has not started',
      {
        voters: [0, 1],
        replicas: 3,
        wanted: 3,
        learner: { ordinal: 2, isNew: true },
        pods: { 2: { join: joinEntry(0) + joinEntry(1) } },
      },
      waitForLearner(`learner ${nameOf(2)} starts`),
    ],
  ]);
});

describe('a voter that lost its data', () => {
  const lost = { hasLostData: true };
  const five = { ...EXACT_FIVE, silent: [1, 3], pods: { 1: lost, 3: lost } };
  decides([
    [
      'is removed when the others have a quorum',
      { silent: [1], pods: { 1: lost } },
      remove(1, `${nameOf(1)} lost its data and is replaced`),
    ],
    [
      'stays without a quorum of the others',
      { voters: [0, 1], silent: [1], pods: { 1: lost } },
      NONE,
    ],
    ['stays when it is the only one', { voters: [0], pods: { 0: lost } }, wait('the only one')],
    [
      'stays while it still responds and another is not healthy',
      { silent: [2], pods: { 1: lost } },
      wait(`${nameOf(1)} is not removed, because ${nameOf(2)} is not healthy`),
    ],
    [
      'stays when fewer others are healthy than the view of the quorum implies',
      { silent: [1], pods: { 1: lost }, view: { serving: [nameOf(0)], quorum: true } },
      wait(`${nameOf(1)} is not removed, because ${nameOf(2)} is not healthy`),
    ],
    ['is removed first when two of five lost theirs', five, remove(1, 'lost its data')],
    [
      'stays when no other one may take its place',
      { ...five, cannotGrow: { reason: 'EtcdMembersBlocked', message: 'old' } },
      { kind: 'blocked', reason: 'EtcdMembersBlocked' },
    ],
    [
      'is removed before a learner is promoted',
      {
        silent: [1],
        pods: { 1: lost },
        replicas: 5,
        wanted: 5,
        learner: { ordinal: 3 },
      },
      remove(1, 'lost its data'),
    ],
    [
      'is removed second after its predecessor was replaced',
      { ...five, silent: [3], pods: { 3: lost } },
      remove(3, 'lost its data'),
    ],
  ]);
});

describe('a learner', () => {
  /** Voters 0, 1, 2 and learner 3 of five. */
  const grown = { replicas: 4, wanted: 5, learner: { ordinal: 3 } };
  const fresh = { ...grown, learner: { ordinal: 3, isNew: true } };
  const join = joinEntry(0) + joinEntry(1) + joinEntry(2);
  decides([
    [
      'is removed when it is not wanted',
      { ...grown, wanted: 3 },
      remove(
        3,
        `learner ${nameOf(3)} is removed, because it exceeds the desired number of members`,
      ),
    ],
    [
      'is removed when it lost its data',
      { ...grown, silent: [3], pods: { 3: { hasLostData: true } } },
      remove(3, 'because it lost its data'),
    ],
    [
      'stays when its Pod failed before the learner has started',
      { ...fresh, pods: { 3: { hasLostData: true } } },
      { kind: 'allowJoin', ...pod(3) },
    ],
    [
      'gets a Pod when the StatefulSet has too few',
      { ...fresh, replicas: 3 },
      { kind: 'scale', replicas: 4, message: text(`learner ${nameOf(3)} gets a Pod`) },
    ],
    [
      'waits for a missing Pod',
      { ...grown, pods: { 3: undefined } },
      waitForLearner('waits for its Pod'),
    ],
    [
      'waits for the successor of a terminating Pod',
      { ...grown, pods: { 3: { isTerminating: true } } },
      waitForLearner('waits for its Pod'),
    ],
    [
      'may join all other members of the cluster',
      fresh,
      { kind: 'allowJoin', ...pod(3), join, members: 4, ...claim(3) },
    ],
    [
      'may join the same members when etcd lists them in another order',
      { ...fresh, isReversed: true },
      { kind: 'allowJoin', join },
    ],
    [
      'keeps its permission to join when etcd lists the members in another order',
      { ...fresh, isReversed: true, pods: { 3: { join } } },
      waitForLearner('starts'),
    ],
    [
      'gets another permission when the members have changed',
      { ...fresh, pods: { 3: { join: joinEntry(0) } } },
      { kind: 'allowJoin', join },
    ],
    [
      'in place of a removed member may join the members before and after it',
      { voters: [0, 2], replicas: 3, wanted: 3, learner: { ordinal: 1, isNew: true } },
      { kind: 'allowJoin', ...pod(1), join: joinEntry(0) + joinEntry(2), members: 3, ...claim(1) },
    ],
    [
      'waits for its PVC before it may join',
      { ...fresh, claims: { 3: undefined } },
      waitForLearner('waits for its PersistentVolumeClaim'),
    ],
    [
      'lets no other member join meanwhile',
      { ...fresh, replicas: 5, pods: { 3: { join } } },
      waitForLearner('starts'),
    ],
    [
      'delays the removal of another member',
      {
        ...EXACT_FIVE,
        wanted: 3,
        replicas: 5,
        voters: [0, 1, 3, 4],
        learner: { ordinal: 2 },
        silent: [2],
      },
      waitForLearner('does not respond yet'),
    ],
  ]);

  it.each(['emptyDir', 'hostPath'] as const)('joins without a PVC on %s', (storage) => {
    const step = nextStep(factsWith({ ...fresh, storage }));
    expect(step).toMatchObject({ kind: 'allowJoin', join });
    expect(step).not.toHaveProperty('claim');
  });
});

describe('the promotion of a learner', () => {
  const grown = { replicas: 4, wanted: 5, learner: { ordinal: 3 } };
  const promote: Expected = {
    kind: 'promote',
    memberId: memberId(3),
    message: text(`learner ${nameOf(3)} has the data`),
  };
  const lag = (leader: string, learner: string): Given['answers'] => ({
    0: { raftIndex: leader },
    3: { raftIndex: learner },
  });
  decides([
    ['follows when it lacks 100 entries', { ...grown, answers: lag('1100', '1000') }, promote],
    [
      'waits when it lacks 101 entries',
      { ...grown, answers: lag('1101', '1000') },
      waitForLearner('receives the data'),
    ],
    [
      'compares numbers above 2^53',
      { ...grown, answers: lag('9007199254741094', '9007199254740993') },
      waitForLearner('receives the data'),
    ],
    [
      'follows when it is ahead of the read of the leader',
      { ...grown, answers: lag('1', '9') },
      promote,
    ],
    [
      'waits for the response of the learner',
      { ...grown, silent: [3] },
      waitForLearner('does not respond yet'),
    ],
    [
      'waits for the response of the leader',
      { ...grown, silent: [0] },
      waitForLearner('does not respond yet'),
    ],
    [
      'waits for a learner without a leader',
      { ...grown, answers: { 3: { errors: ['etcdserver: no leader'] } } },
      waitForLearner('does not respond yet'),
    ],
    [
      'follows when a learner has another error',
      { ...grown, answers: { 3: { errors: ['memberID:1 alarm:NOSPACE'] } } },
      promote,
    ],
    ['follows with one of three voters down', { ...grown, silent: [2] }, promote],
    [
      'waits when the voters would lose the quorum',
      { ...grown, view: { serving: [nameOf(0)], quorum: true } },
      waitForLearner(`gets no vote while ${nameOf(1)}, ${nameOf(2)} is not healthy`),
    ],
    [
      'ignores a former leader that does not know its successor yet',
      {
        ...grown,
        leader: 1,
        answers: {
          0: { leaderId: memberId(0), term: '1', raftIndex: '900', confirmed: false },
          1: { raftIndex: '5000' },
          3: { raftIndex: '900' },
        },
      },
      waitForLearner('receives the data'),
    ],
  ]);
});

describe('a member to add whose Pod exists', () => {
  /** Member 1 of three is missing. */
  const replaced = { voters: [0, 2], replicas: 3, wanted: 3 };
  const old = { claims: { 1: { content: 'thisCluster', isUnbound: false } } } as const;
  decides([
    ['becomes a learner', replaced, addLearner(1)],
    [
      'becomes a learner although the number is even',
      { voters: [0], wanted: 2, replicas: 2 },
      addLearner(1),
    ],
    [
      'has the lowest missing ordinal',
      { ...replaced, voters: [0, 1], wanted: 5, replicas: 5 },
      addLearner(2),
    ],
    [
      'is blocked while the repair of its Pod is paused',
      { ...replaced, pods: { 1: { isPaused: true } } },
      { kind: 'blocked', reason: 'RepairPaused', message: text(`=true of ${nameOf(1)};`) },
    ],
    [
      'is blocked while the repair of the PVC to replace is paused',
      {
        ...replaced,
        claims: { 1: { content: 'thisCluster', isUnbound: false, isPaused: true } },
      },
      { kind: 'blocked', reason: 'RepairPaused' },
    ],
    [
      'waits while a voter is not healthy',
      { voters: [0, 2, 3], replicas: 4, wanted: 4, silent: [3] },
      wait(`${nameOf(1)} does not join while ${nameOf(3)} is not healthy`),
    ],
    [
      'waits for a missing Pod',
      { ...replaced, pods: { 1: undefined } },
      wait(`${nameOf(1)} waits for its Pod`),
    ],
    [
      'waits for the successor of a terminating Pod',
      { ...replaced, pods: { 1: { isTerminating: true } } },
      wait('waits for its Pod'),
    ],
    [
      'gets another Pod and PVC in place of the data of its removed member',
      { ...replaced, ...old },
      { ...recreate(1, 'without the data of its removed member'), ...claim(1) },
    ],
    [
      'gets another Pod when its PVC is terminating',
      { ...replaced, claims: { 1: { content: 'thisCluster', isTerminating: true } } },
      recreate(1, 'gets a new PersistentVolumeClaim'),
    ],
    [
      'is blocked by a PVC of another cluster',
      { ...replaced, claims: { 1: { content: 'otherCluster', isUnbound: false } } },
      blocked('EtcdClaimFound', 'has data of another etcd cluster'),
    ],
    [
      'gets another Pod when a member was in its emptyDir',
      {
        ...replaced,
        storage: 'emptyDir',
        claims: { 1: undefined },
        pods: { 1: { wasMember: true } },
      },
      recreate(1, 'without the data of its removed member'),
    ],
    [
      'gets another Pod when a member was in it and its PVC is not annotated',
      { ...replaced, pods: { 1: { wasMember: true } } },
      recreate(1, 'without the data of its removed member'),
    ],
    [
      'is blocked when a member was in its hostPath',
      {
        ...replaced,
        storage: 'hostPath',
        claims: { 1: undefined },
        pods: { 1: { wasMember: true } },
      },
      blocked('EtcdDataFound', `Pod ${nameOf(1)}: its hostPath has the data`),
    ],
    [
      'waits for the update of the template',
      { ...replaced, templateCanJoin: false, pods: { 1: { canJoin: false } } },
      wait('waits for the update of the Pod template'),
    ],
    [
      'gets another Pod in place of one with an earlier template',
      { ...replaced, pods: { 1: { canJoin: false } } },
      recreate(1, 'starts with the current template'),
    ],
    [
      'gets another Pod in place of one that backs off',
      { ...replaced, pods: { 1: { isBackingOff: true } } },
      recreate(1, 'starts with the current template'),
    ],
    [
      'waits while the Service includes Pods that are not ready',
      { ...replaced, excludesUnready: false },
      wait('Service still includes Pods'),
    ],
    [
      'waits until its Pod is scheduled',
      { ...replaced, pods: { 1: { isScheduled: false } } },
      wait(`${nameOf(1)} is not scheduled yet`),
    ],
    [
      'is not added when the release of etcd is too old for more members',
      { ...replaced, cannotGrow: { reason: 'EtcdMembersBlocked', message: 'old' } },
      { kind: 'blocked', reason: 'EtcdMembersBlocked' },
    ],
  ]);

  it('keeps a terminating PVC, and a PVC that is not annotated', () => {
    for (const given of [{ isTerminating: true }, { content: 'unknown' as const }]) {
      const changes = { claims: { 1: given }, pods: { 1: { wasMember: true } } };
      const step = nextStep(factsWith({ ...replaced, ...changes }));
      expect(step.kind).toBe('recreate');
      expect(step).not.toHaveProperty('claim');
    }
  });
});

describe('a member to add without a Pod', () => {
  const grows = { wanted: 5 };
  const scale: Expected = {
    kind: 'scale',
    replicas: 4,
    message: text(`${nameOf(3)} is created (3 to 5 members)`),
  };
  decides([
    ['gets a Pod', grows, scale],
    [
      'gets a Pod although the template is not current',
      { ...grows, templateCanJoin: false },
      scale,
    ],
    [
      'is blocked for an even number',
      { wanted: 4 },
      blocked(
        'EtcdMembersBlocked',
        '4 members tolerate no more failures than 3, so etcd stays at 3',
      ),
    ],
    [
      'is blocked when the release of etcd is too old',
      { ...grows, cannotGrow: { reason: 'EtcdMembersBlocked', message: 'too old' } },
      blocked('EtcdMembersBlocked', 'too old'),
    ],
    [
      'waits while a voter is not healthy',
      { ...grows, silent: [1] },
      wait(`${nameOf(3)} does not join while ${nameOf(1)}`),
    ],
    [
      'does not start with the PVC of a removed member of this cluster',
      { ...grows, claims: { 3: { content: 'thisCluster', isUnbound: false } } },
      { kind: 'deleteClaim', ...claim(3), message: text('data of a removed member') },
    ],
    [
      'waits until a terminating PVC is deleted',
      { ...grows, claims: { 3: { content: 'thisCluster', isTerminating: true } } },
      wait('waits for the deletion of PersistentVolumeClaim'),
    ],
    [
      'is blocked by a PVC of another cluster',
      { ...grows, claims: { 3: { content: 'otherCluster', isUnbound: false } } },
      blocked('EtcdClaimFound', 'has data of another etcd cluster'),
    ],
    [
      'is blocked by a bound PVC with unknown content',
      { ...grows, claims: { 3: { content: 'unknown', isUnbound: false } } },
      blocked('EtcdClaimFound', 'its content is unknown'),
    ],
    [
      'uses a PVC that was never bound',
      { ...grows, claims: { 3: { content: 'unknown', isUnbound: true } } },
      scale,
    ],
  ]);
});

describe('a member to remove', () => {
  const shrinks = { ...EXACT_FIVE, wanted: 3 };
  const eleven = Array.from({ length: 11 }, (_, n) => n);
  decides([
    [
      'has the highest ordinal',
      shrinks,
      remove(4, `${nameOf(4)} leaves the cluster (5 to 4 voting members)`),
    ],
    [
      'has the highest number, not the last name',
      { voters: eleven, wanted: 9, isReversed: true },
      remove(10, 'leaves the cluster'),
    ],
    [
      'is not the leader: another one leads first',
      { ...shrinks, leader: 4 },
      {
        kind: 'moveLeader',
        from: nameOf(4),
        to: memberId(0),
        message: text(`${nameOf(0)} becomes the leader`),
      },
    ],
    [
      'hands the leadership to a healthy member',
      { ...shrinks, leader: 4, silent: [0], answers: { 4: { confirmed: false } } },
      { kind: 'moveLeader', from: nameOf(4), to: memberId(1) },
    ],
    [
      'is removed without health when the others are healthy',
      { ...shrinks, silent: [4] },
      remove(4, 'leaves the cluster'),
    ],
    [
      'is removed without health when a majority of the others is healthy',
      { ...shrinks, silent: [4, 1] },
      remove(4, 'leaves the cluster'),
    ],
    [
      'stays while the leader does not respond, because only the leader removes members',
      { ...shrinks, silent: [4, 0] },
      wait(`${nameOf(4)} is not removed, because the leader does not respond`),
    ],
    [
      'leaves before the others when it is not healthy',
      { ...shrinks, silent: [3] },
      remove(3, 'leaves the cluster'),
    ],
    [
      'stays while it is healthy and another one is not',
      { ...shrinks, silent: [1] },
      wait(`${nameOf(4)} is not removed, because ${nameOf(1)} is not healthy`),
    ],
    [
      'stays without a quorum',
      { ...shrinks, silent: [0, 1, 2] },
      wait('no quorum of healthy members'),
    ],
    [
      'stays until a missing member is replaced',
      { voters: [0, 2, 3, 4], replicas: 5, wanted: 3 },
      addLearner(1),
    ],
    [
      'leaves while the replacement of another must wait',
      { voters: [0, 2, 3, 4], replicas: 5, wanted: 3, pods: { 1: undefined } },
      remove(4, 'leaves the cluster'),
    ],
    ['is the second of two', { voters: [0, 1], wanted: 1 }, remove(1, '(2 to 1 voting members)')],
  ]);
});

describe('the objects of removed members', () => {
  /** Since when no Service has the Pod. */
  const down = { downSince: AT - 5_000 };
  const shrunk = { replicas: 5, wanted: 3, pods: { 3: down, 4: down } };
  const data = { content: 'thisCluster', isUnbound: false } as const;
  const failed = { 3: down, 4: { ...down, hasLostData: true } };
  const left = { wanted: 3, claims: { 3: data } };
  const scale: Expected = {
    kind: 'scale',
    replicas: 3,
    message: text('the Pods of removed members are deleted (5 to 3)'),
  };
  decides([
    ['lose their Pods', shrunk, scale],
    [
      'keep their Pods until they are not ready',
      { ...shrunk, pods: { 3: down } },
      wait('stay until Services exclude them'),
    ],
    [
      'keep their Pods until every kube-proxy has excluded them',
      { ...shrunk, pods: { 3: down, 4: { downSince: AT - 4_000 } } },
      wait('stay until Services exclude them'),
    ],
    [
      'lose their Pods while one of them terminates',
      { ...shrunk, pods: { 3: down, 4: { isTerminating: true } } },
      scale,
    ],
    ['lose their Pods when one is deleted', { ...shrunk, pods: { 3: down, 4: undefined } }, scale],
    [
      'keep their Pods while another surplus member stays',
      { ...shrunk, voters: [0, 1, 2, 3], silent: [0] },
      wait('is not removed'),
    ],
    [
      'lose a PVC that was never used',
      { ...shrunk, pods: failed },
      { kind: 'deleteClaim', ...claim(4), message: text('was never used') },
    ],
    [
      'lose their Pods when the unused PVC is terminating',
      { ...shrunk, pods: failed, claims: { 4: { isTerminating: true } } },
      scale,
    ],
    [
      'keep a PVC with data of this cluster until their Pods are deleted',
      { ...shrunk, deletesClaims: true, pods: failed, claims: { 4: data } },
      scale,
    ],
    [
      'keep a PVC of another cluster',
      { ...shrunk, pods: failed, claims: { 4: { ...data, content: 'otherCluster' } } },
      scale,
    ],
    [
      'keep the unused PVC of a member that is needed',
      { silent: [1], pods: { 1: { hasLostData: true } }, claims: { 1: { content: 'unknown' } } },
      remove(1, 'lost its data'),
    ],
    [
      'lose their PVC with whenScaled Delete',
      { ...left, deletesClaims: true },
      {
        kind: 'deleteClaim',
        ...claim(3),
        message: text(`of the removed member ${nameOf(3)} is deleted`),
      },
    ],
    ['keep their PVC without whenScaled Delete', left, NONE],
    [
      'keep a PVC while its Pod terminates',
      { ...left, deletesClaims: true, pods: { 3: { isTerminating: true } } },
      NONE,
    ],
    [
      'keep a PVC with unknown content',
      { wanted: 3, deletesClaims: true, claims: { 3: { content: 'unknown' } } },
      NONE,
    ],
    [
      'keep a PVC of another cluster with whenScaled Delete',
      { wanted: 3, deletesClaims: true, claims: { 3: { content: 'otherCluster' } } },
      NONE,
    ],
    [
      'need nothing when the PVC is terminating',
      { wanted: 3, deletesClaims: true, claims: { 3: { ...data, isTerminating: true } } },
      NONE,
    ],
  ]);

  it('keep the Pod of a learner that is still in the cluster', () => {
    const step = shrink(factsWith({ ...shrunk, learner: { ordinal: 3 } }));
    expect(step).toMatchObject({ kind: 'scale', replicas: 4 });
  });
});
