import { describe, expect, it } from '@jest/globals';
import { AT } from '../../etcd/__fixtures__/answers.ts';
import type { EtcdMemberStatus } from '../../etcd/member-status.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { viewOfPods } from './etcd-members.ts';
import {
  answersOf,
  nameOf,
  podAt,
  RECORD,
  setIn,
  snapshotWith,
} from '../../etcd-cluster/members/__fixtures__/objects.ts';
import { JOINED_ANNOTATION } from './pod-facts.ts';
import { reportedPods } from './reported-pods.ts';

/** Pod whose container ended and starts again later. */
const crashing = (ordinal: number, restartCount = 1, annotations = {}): KubernetesObject =>
  waiting(ordinal, 'CrashLoopBackOff', { restartCount, annotations });

interface More {
  readonly restartCount?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

const waiting = (ordinal: number, reason: string, more: More = {}): KubernetesObject => {
  const { restartCount = 0, annotations = {} } = more;
  return podAt(ordinal, {
    metadata: { annotations },
    status: { containerStatuses: [{ restartCount, state: { waiting: { reason } } }] },
  });
};

/** Pod whose etcd ended with an exit code, and starts again later. */
const ended = (ordinal: number, exitCode: number): KubernetesObject => {
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const lastState = { terminated: { exitCode } };
  const etcd = { name: 'etcd', restartCount: 1, state, lastState };
  return podAt(ordinal, { status: { containerStatuses: [etcd] } });
};

/** Pod whose etcd has just ended, and is not started again yet. */
const justEnded = (ordinal: number, exitCode: number): KubernetesObject => {
  const etcd = { name: 'etcd', restartCount: 2, state: { terminated: { exitCode } } };
  return podAt(ordinal, { status: { containerStatuses: [etcd] } });
};

/** Pod whose container runs without being ready. */
const starting = (ordinal: number): KubernetesObject =>
  podAt(ordinal, { status: { containerStatuses: [{ restartCount: 1, state: { running: {} } }] } });

const [FIRST, SECOND] = [podAt(0), podAt(1)];

/** Adds the member of the third Pod as a learner to the list of the others. @param name empty before its first start */
function learning(answers: readonly EtcdMemberStatus[], name: string): typeof answers {
  const listed = answersOf().at(2)?.members.at(2);
  if (listed === undefined) throw new Error('there is no third member');
  const learner = { ...listed, name, isLearner: true };
  return answers.map((answer) => ({ ...answer, members: [...answer.members, learner] }));
}

const asLearner = (answer: EtcdMemberStatus): EtcdMemberStatus => ({
  ...answer,
  podReady: false,
  isLearner: true,
  members: [],
  confirmed: false,
});

interface Given {
  /** Members that respond, all of them voters. Defaults to those of the first two Pods. */
  readonly answers?: readonly EtcdMemberStatus[];
  readonly wanted?: number;
}

/** An etcd of two voters on its way to three members, whose volumes are emptyDirs, so that Pods are the members. */
function growing(pods: readonly KubernetesObject[], given: Given = {}): Snapshot {
  const { answers = answersOf([0, 1]), wanted = 3 } = given;
  const record = JSON.stringify({ ...RECORD, data: [0, 1].map((n) => `uid-${nameOf(n)}`) });
  const local = { replicas: wanted, volumeData: { emptyDir: {} } };
  const snapshot = snapshotWith({ local, record });
  const host = { ...snapshot.host, pods, claims: [] };
  return { ...snapshot, host, etcd: viewOfPods(answers, pods, AT) };
}

const reported = (snapshot: Snapshot): readonly string[] =>
  reportedPods(snapshot).map(({ metadata }) => metadata.name);

const without = (...omitted: readonly number[]): readonly string[] =>
  [0, 1, 2].filter((ordinal) => !omitted.includes(ordinal)).map(nameOf);

const unconfirmed = answersOf([0, 1]).map((answer) => ({ ...answer, confirmed: false }));

describe('reportedPods', () => {
  it.each<{ title: string; third: KubernetesObject; given?: Given; isReported: boolean }>([
    {
      title: 'omits a new Pod that ends because its member may not join yet',
      third: crashing(2),
      isReported: false,
    },
    {
      title: 'omits a new Pod that has just ended because its member may not join yet',
      third: justEnded(2, 1),
      isReported: false,
    },
    {
      title: 'omits the Pod of a surplus member that has just ended',
      third: justEnded(2, 2),
      given: { wanted: 1, answers: answersOf([0, 1, 2]) },
      isReported: false,
    },
    {
      title: 'has the Pod of a member that is to stay and has just ended',
      third: justEnded(2, 2),
      given: { answers: answersOf([0, 1, 2]) },
      isReported: true,
    },
    {
      title: 'omits a new Pod whose member was just added',
      third: crashing(2),
      given: { answers: learning(answersOf([0, 1]), '') },
      isReported: false,
    },
    {
      title: 'omits a learner that runs, and is not ready before it has a vote',
      third: starting(2),
      given: { answers: learning(answersOf([0, 1]), nameOf(2)) },
      isReported: false,
    },
    {
      title: 'omits a learner that has started, and is not marked as joined yet',
      third: crashing(2),
      given: { answers: learning(answersOf([0, 1]), nameOf(2)) },
      isReported: false,
    },
    {
      title: 'omits a learner that has joined, and whose start the kubelet has not reported',
      third: crashing(2, 1, { [JOINED_ANNOTATION]: 'true' }),
      given: { answers: learning(answersOf([0, 1]), nameOf(2)) },
      isReported: false,
    },
    {
      title: 'omits a new voter that responds, and whose start the kubelet has not reported',
      third: crashing(2, 1, { [JOINED_ANNOTATION]: 'true' }),
      given: { answers: answersOf().map((answer) => ({ ...answer, podReady: false })) },
      isReported: false,
    },
    {
      title: 'has a learner that ended so often that the next start is far away',
      third: crashing(2, 3),
      given: { answers: learning(answersOf([0, 1]), nameOf(2)) },
      isReported: true,
    },
    {
      title: 'has a voter that responded only while its Pod was ready',
      third: crashing(2, 1, { [JOINED_ANNOTATION]: 'true' }),
      given: { answers: answersOf() },
      isReported: true,
    },
    {
      title: 'has a new Pod that ended so often that the next start is far away',
      third: crashing(2, 3),
      isReported: true,
    },
    {
      title: 'has a new Pod whose image cannot be pulled',
      third: waiting(2, 'ImagePullBackOff'),
      isReported: true,
    },
    {
      title: 'has a Pod whose member was part of the cluster',
      third: crashing(2, 1, { [JOINED_ANNOTATION]: 'true' }),
      isReported: true,
    },
    {
      title: 'has a voter that ends',
      third: crashing(2),
      given: { answers: answersOf().slice(0, 2) },
      isReported: true,
    },
    {
      title: 'omits a new voter that was a learner when it was queried last',
      third: crashing(2, 1, { [JOINED_ANNOTATION]: 'true' }),
      given: { answers: [...answersOf().slice(0, 1), ...answersOf().slice(2).map(asLearner)] },
      isReported: false,
    },
    {
      title: 'has every Pod while no response is confirmed',
      third: crashing(2),
      given: { answers: unconfirmed },
      isReported: true,
    },
    {
      title: 'has every Pod while no quorum of members is known',
      third: crashing(2),
      given: { answers: [] },
      isReported: true,
    },
    {
      title: 'omits the Pod of a removed member',
      third: crashing(2, 9),
      given: { wanted: 1 },
      isReported: false,
    },
    {
      title: 'omits the Pod of a removed member while the others elect a leader',
      third: ended(2, 0),
      given: { wanted: 1, answers: unconfirmed },
      isReported: false,
    },
    {
      title: 'omits the Pod of a removed member that the last answers still contain',
      third: ended(2, 0),
      given: { wanted: 1, answers: answersOf([0, 1, 2]) },
      isReported: false,
    },
    {
      title: 'omits such a Pod whose etcd panicked while it stopped',
      third: ended(2, 2),
      given: { wanted: 1, answers: answersOf([0, 1, 2]) },
      isReported: false,
    },
    {
      title: 'has the Pod of a member that is to stay and panicked',
      third: ended(2, 2),
      given: { answers: answersOf([0, 1, 2]) },
      isReported: true,
    },
    {
      title: 'omits the Pod of a surplus member that fails while no response is confirmed',
      third: ended(2, 1),
      given: { wanted: 1, answers: unconfirmed },
      isReported: false,
    },
    {
      title: 'has a Pod that ended without an error, and whose member is to stay',
      third: ended(2, 0),
      given: { answers: unconfirmed },
      isReported: true,
    },
    {
      title: 'omits the Pod of a surplus member that starts again for the ninth time',
      third: crashing(2, 9),
      given: { wanted: 1, answers: answersOf().slice(0, 2) },
      isReported: false,
    },
  ])('$title', ({ third, given, isReported }) => {
    const expected = isReported ? without() : without(2);
    expect(reported(growing([FIRST, SECOND, third], given))).toEqual(expected);
  });

  it('has every Pod while data is recovered', () => {
    const recovery = {} as NonNullable<NonNullable<Snapshot['etcdBootstrap']>['recovery']>;
    const snapshot = growing([FIRST, SECOND, crashing(2)]);
    const etcdBootstrap = { ...snapshot.etcdBootstrap, recovery } as NonNullable<
      Snapshot['etcdBootstrap']
    >;
    expect(reported({ ...snapshot, etcdBootstrap })).toEqual(without());
  });

  it('omits Pods that the StatefulSet does not have any more, and keeps those of other components', () => {
    const server = {
      kind: 'Pod',
      metadata: { name: 'karmada-demo-apiserver-1' },
    } as KubernetesObject;
    const snapshot = growing([FIRST, SECOND, crashing(2), server], { answers: [] });
    const objects = snapshot.host.objects.map((object) =>
      object === setIn(snapshot)
        ? { ...object, spec: { ...(object['spec'] as object), replicas: 2 } }
        : object,
    );
    const host = { ...snapshot.host, objects };
    expect(reported({ ...snapshot, host })).toEqual([...without(2), 'karmada-demo-apiserver-1']);
  });
});
