/** Which changes and restarts the operator allows because it replaces a member that loses its data. */
import { describe, expect, it } from '@jest/globals';
import { AT } from '../../etcd/__fixtures__/answers.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { planEtcd, type EtcdPlan } from '../etcd-plan/etcd-actions.ts';
import { viewOfPods } from './etcd-members.ts';
import {
  answersOf,
  desiredSet,
  nameOf,
  podAt,
  RECORD,
  setIn,
  snapshotWith,
} from '../../etcd-cluster/members/__fixtures__/objects.ts';
import { replacesMembers } from './read-facts.ts';
import { membersToRestart, templateBlocked } from '../etcd-storage/plan-etcd.ts';

type Given = NonNullable<Parameters<typeof snapshotWith>[0]>;

const EMPTY_DIR = { volumeData: { emptyDir: {} } };
const HOLDERS = [0, 1, 2].map((n) => `uid-${nameOf(n)}`);
const recordOf = (more: object): string => JSON.stringify({ ...RECORD, data: HOLDERS, ...more });

/** Snapshot of a healthy etcd of three members on emptyDir, whose record names all of its Pods. */
function emptyDirWith({ local, ...more }: Given = {}): Snapshot {
  const given = { record: recordOf({}), ...more, local: { ...EMPTY_DIR, ...local } };
  const snapshot = snapshotWith(given);
  const etcd = viewOfPods(answersOf(), snapshot.host.pods, AT);
  return { ...snapshot, etcd, host: { ...snapshot.host, claims: [] } };
}

const withObjects = (snapshot: Snapshot, more: Partial<Snapshot['host']>): Snapshot => ({
  ...snapshot,
  host: { ...snapshot.host, ...more },
});

describe('replacesMembers', () => {
  const sound = emptyDirWith();
  const stranger = podAt(1, { metadata: { uid: 'new' } });

  it.each<[string, Snapshot, boolean]>([
    ['three members that are all in the record', sound, true],
    ['a Pod that is not in the record', withPods(stranger), false],
    [
      'a record without the holders of the data',
      emptyDirWith({ record: recordOf({ data: [] }) }),
      false,
    ],
    [
      'a cluster that has not formed',
      emptyDirWith({ record: recordOf({ state: 'unborn' }) }),
      false,
    ],
    ['a StatefulSet that is not existing', emptyDirWith({ state: 'new' }), false],
    ['two members', emptyDirWith({ members: 2 }), false],
    ['a release that no member can join', emptyDirWith({ local: { imageTag: '3.5.18-0' } }), false],
    ['an operator that may not patch Pods', { ...sound, missingRights: ['patch pods'] }, false],
    ['no StatefulSet', withObjects(sound, { objects: [] }), false],
  ])('decides for %s', (_, snapshot, expected) => {
    expect(replacesMembers(snapshot)).toBe(expected);
  });

  function withPods(...others: readonly KubernetesObject[]): Snapshot {
    const names = others.map(({ metadata }) => metadata.name);
    const kept = sound.host.pods.filter(({ metadata }) => !names.includes(metadata.name));
    return withObjects(sound, { pods: [...kept, ...others] });
  }
});

/** The StatefulSet after a change of its template: its Pods are of the revision before. */
function changed(snapshot: Snapshot): KubernetesObject {
  const object = setIn(snapshot);
  return { ...object, status: { ...(object['status'] as object), updateRevision: 'r2' } };
}

describe('a template change of members on emptyDir', () => {
  const snapshot = emptyDirWith();
  const { pods } = snapshot.host;
  const wanted = desiredSet({ local: { ...EMPTY_DIR, imageTag: '3.6.7-0' } });

  it.each<[string, boolean, string | undefined, readonly string[]]>([
    [
      'is allowed when the operator replaces them',
      true,
      undefined,
      [nameOf(2), nameOf(1), nameOf(0)],
    ],
    ['is blocked when it does not', false, 'EtcdRestartBlocked', []],
  ])('%s', (_, isReplaced, reason, restarted) => {
    expect(templateBlocked(setIn(snapshot), wanted, pods, isReplaced)?.reason).toBe(reason);
    const found = membersToRestart(changed(snapshot), pods, { isReplaced });
    expect(found.map(({ metadata }) => metadata.name)).toEqual(restarted);
  });

  it('restarts no running member while another one is not ready', () => {
    const conditions = [{ type: 'Ready', status: 'False' }];
    const unready = podAt(1, { status: { conditions } });
    const others = pods.filter(({ metadata }) => metadata.name !== nameOf(1));
    const found = membersToRestart(changed(snapshot), [...others, unready], { isReplaced: true });
    expect(found).toEqual([]);
  });
});

describe('planEtcd', () => {
  const kindsOf = ({ actions }: EtcdPlan): readonly string[] => actions.map(({ kind }) => kind);
  const planOf = (snapshot: Snapshot, wanted: DesiredObject): EtcdPlan => {
    const desired = { objects: [wanted], steps: new Set(['etcd'] as const) };
    return planEtcd({ snapshot, desired }, () => changed(snapshot), new Set());
  };
  const unknown = emptyDirWith({ record: recordOf({ data: ['other'] }) });

  it.each<[string, Snapshot, readonly string[], readonly string[]]>([
    ['that the operator replaces', emptyDirWith(), ['restartEtcdMember'], []],
    ['whose holders of the data are unknown', unknown, [], ['EtcdRestartBlocked']],
  ])('plans for members on emptyDir %s', (_, snapshot, restarts, blocked) => {
    const applied = desiredSet({ local: EMPTY_DIR });
    expect(applied.hash).toBe(setIn(snapshot).metadata.annotations?.[APPLIED_HASH]);
    expect(kindsOf(planOf(snapshot, applied))).toEqual(restarts);
    const next = planOf(snapshot, desiredSet({ local: { ...EMPTY_DIR, imageTag: '3.6.7-0' } }));
    expect(kindsOf(next)).toEqual([]);
    expect(next.blockedChanges.map(({ reason }) => reason)).toEqual(blocked);
  });
});
