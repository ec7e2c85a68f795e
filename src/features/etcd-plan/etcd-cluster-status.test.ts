import { describe, expect, it } from '@jest/globals';
import { defaultSpec, type DefaultedSpec } from '../../api/defaults/defaults.ts';
import type { EtcdClusterStatus } from '../../api/karmada.ts';
import type { KarmadaSpec } from '../../api/karmada.ts';
import { answerOf, AT, idOf, listOf, podOf, silenceOf } from '../../etcd/__fixtures__/answers.ts';
import type { EtcdResult } from '../../etcd/member-status.ts';
import { etcdView } from '../../etcd/view.ts';
import { etcdClusterStatus } from './etcd-cluster-status.ts';

const specOf = (spec: KarmadaSpec = {}): DefaultedSpec =>
  defaultSpec(spec, { defaultStorageClass: false });

const PODS = ['etcd-0', 'etcd-1', 'etcd-2'];
const SOUND = PODS.map((pod) => answerOf(pod, PODS));
const at = (seconds: number): string =>
  new Date(AT + seconds * 1_000).toISOString().replace('.000', '');

/** @param seconds after AT */
function statusOf(
  results: readonly EtcdResult[],
  { before, seconds = 0, pods = PODS }: Partial<Seen> = {},
): EtcdClusterStatus | undefined {
  const now = AT + seconds * 1_000;
  const etcd = etcdView(results, pods.map(podOf), now);
  return etcdClusterStatus({ etcd, now, spec: specOf() }, before);
}

interface Seen {
  readonly before: EtcdClusterStatus | undefined;
  readonly seconds: number;
  readonly pods: readonly string[];
}

const HEALTHY = statusOf(SOUND);
const memberIn = (status: EtcdClusterStatus | undefined, name: string): object =>
  status?.members.find((member) => member.name === name) ?? {};

describe('etcdClusterStatus', () => {
  it('contains the facts of all members without indexes when etcd is healthy', () => {
    expect(HEALTHY).toEqual({
      clusterID: 'a',
      quorum: 'True',
      leader: 'etcd-0',
      observedTime: at(0),
      members: PODS.map((name) => ({
        name,
        id: idOf(name),
        role: 'Voter',
        version: '3.6.6',
        dbSize: '8Mi',
      })),
    });
  });

  it.each<[string, readonly EtcdResult[], readonly string[]]>([
    [
      'when only indexes and sizes within a step differ',
      PODS.map((pod) => answerOf(pod, PODS, { raftIndex: '900', revision: '9', dbSize: '50000' })),
      PODS,
    ],
    ['while the operator has not queried a member since its start', [], PODS],
  ])('is unchanged %s', (_, results, pods) => {
    expect(statusOf(results, { before: HEALTHY, seconds: 60, pods })).toBe(HEALTHY);
  });

  it.each<[string, Partial<Parameters<typeof answerOf>[2]>, object]>([
    ['the size reaches the next step', { dbSize: '9000000' }, { dbSize: '16Mi' }],
    ['the release differs', { version: '3.6.14' }, { version: '3.6.14' }],
    [
      'an alarm is raised',
      { alarms: [{ memberId: idOf('etcd-1'), alarm: 'NOSPACE' }] },
      { alarms: ['NOSPACE'], raftIndex: 100, revision: 50 },
    ],
  ])('changes together with its time when %s', (_, more, expected) => {
    const results = PODS.map((pod) => answerOf(pod, PODS, pod === 'etcd-1' ? more : {}));
    const status = statusOf(results, { before: HEALTHY, seconds: 30 });
    expect(status?.observedTime).toBe(at(30));
    expect(memberIn(status, 'etcd-1')).toMatchObject(expected);
  });

  it('keeps the last facts of a member that stops responding, with the time of its last response', () => {
    const results = (cause: string): readonly EtcdResult[] => [
      ...SOUND.slice(0, 2),
      { ...silenceOf('etcd-2', cause), respondedAt: AT + 5_000 },
    ];
    const first = statusOf(results('timeout'), { before: HEALTHY, seconds: 20 });
    expect(first).toMatchObject({ quorum: 'True', observedTime: at(20) });
    expect(memberIn(first, 'etcd-2')).toEqual({
      name: 'etcd-2',
      id: idOf('etcd-2'),
      role: 'Voter',
      version: '3.6.6',
      dbSize: '8Mi',
      message: 'timeout',
      lastResponseTime: at(5),
    });
    expect(memberIn(first, 'etcd-0')).toMatchObject({ raftIndex: 100, revision: 50 });
    expect(statusOf(results('timeout'), { before: first, seconds: 90 })).toBe(first);
    expect(statusOf(SOUND, { before: first, seconds: 99 })).toEqual({
      ...HEALTHY,
      observedTime: at(99),
    });
  });

  it('keeps the time of the last response after a restart of the operator', () => {
    const before = statusOf([...SOUND.slice(0, 2), silenceOf('etcd-2')], { before: HEALTHY });
    const known = { ...before, members: before?.members.map((member) => ({ ...member })) };
    Object.assign(memberIn(known as EtcdClusterStatus, 'etcd-2'), { lastResponseTime: at(-60) });
    const results = [...SOUND.slice(0, 2), silenceOf('etcd-2', 'another cause')];
    const status = statusOf(results, { before: known as EtcdClusterStatus, seconds: 10 });
    expect(memberIn(status, 'etcd-2')).toMatchObject({
      message: 'another cause',
      lastResponseTime: at(-60),
    });
  });

  it.each<[string, readonly string[], string]>([
    ['no Pod', ['etcd-0', 'etcd-1'], 'no Pod'],
    ['a new Pod', PODS, 'its Pod is starting'],
  ])('reports a member with %s as not responding from now on', (_, pods, message) => {
    const status = statusOf(SOUND.slice(0, 2), { before: HEALTHY, seconds: 40, pods });
    expect(memberIn(status, 'etcd-2')).toMatchObject({ message, lastResponseTime: at(40) });
  });

  it('has quorum Unknown and lists the members as before when none responds', () => {
    const results = PODS.map((pod) => silenceOf(pod, 'timeout'));
    const status = statusOf(results, { before: HEALTHY, seconds: 40 });
    expect(status).toMatchObject({ clusterID: 'a', quorum: 'Unknown', leader: '' });
    expect(status?.members.map(({ name }) => name)).toEqual(PODS);
  });

  it('has quorum False when the members that respond have no quorum', () => {
    const results = [answerOf('etcd-0', PODS, { leaderId: '0', confirmed: false })];
    expect(statusOf(results, { before: HEALTHY })).toMatchObject({ quorum: 'False', leader: '' });
  });

  it('lists a learner and its indexes', () => {
    const members = listOf(PODS).map((member) =>
      member.name === 'etcd-2' ? { ...member, name: '', isLearner: true } : member,
    );
    const results = PODS.slice(0, 2).map((pod) => answerOf(pod, PODS, { members }));
    const status = statusOf(results);
    expect(memberIn(status, '')).toMatchObject({ id: idOf('etcd-2'), role: 'Learner' });
    expect(memberIn(status, 'etcd-0')).toMatchObject({ raftIndex: 100 });
  });

  it('lists the members that responded, and no cluster, when they belong to different clusters', () => {
    const results = PODS.map((pod) => answerOf(pod, [pod], { cluster: pod.slice(-1) }));
    expect(statusOf(results)).toMatchObject({
      clusterID: '',
      quorum: 'False',
      leader: '',
      members: PODS.map((name) => ({ name, id: idOf(name, name.slice(-1)) })),
    });
  });

  it('is absent until a member has responded', () => {
    expect(statusOf(PODS.map((pod) => silenceOf(pod)))).toBeUndefined();
  });

  it('is absent for an external etcd', () => {
    const external = { endpoints: ['https://a:2379'], secretRef: { name: 'a' } };
    const spec = specOf({ components: { etcd: { external } } });
    const etcd = etcdView(SOUND, PODS.map(podOf), AT);
    expect(etcdClusterStatus({ etcd, now: AT, spec }, HEALTHY)).toBeUndefined();
  });
});
