import { describe, expect, it } from '@jest/globals';
import { JOIN_ANNOTATION } from '../../components/etcd/join.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import { CLAIM_ANNOTATION, NOTES_FIELD_MANAGER } from '../../etcd-cluster/identity/record.ts';
import { factsWith, nameOf } from '../../etcd-cluster/members/__fixtures__/facts.ts';
import { RECORD, snapshotWith, stampOf } from '../../etcd-cluster/members/__fixtures__/objects.ts';
import {
  recordedClient,
  type Call,
} from '../../etcd-cluster/members/__fixtures__/recorded-client.ts';
import { changeObjects } from './change-objects.ts';
import { claimAt, podAt } from '../../etcd-cluster/members/cluster.ts';
import { JOINED_ANNOTATION } from './pod-facts.ts';
import type { MemberStep } from '../../etcd-cluster/members/step.ts';

const facts = factsWith();
const [pod, claim] = [podAt(facts, 2), claimAt(facts, 2)];
if (pod === undefined || claim === undefined) throw new Error('the facts have no ordinal 2');
const message = '';

const join = ',a=b';
const POD = nameOf(2);
const PVC = `etcd-data-${POD}`;
const patched = (kind: string, name: string, annotations: object): Call => ({
  verb: 'patch',
  kind,
  key: { namespace: 'team', name },
  body: { metadata: { uid: `uid-${name}`, annotations } },
  options: { fieldManager: NOTES_FIELD_MANAGER },
});
const deleted = (kind: string, name: string): Call => ({
  verb: 'delete',
  kind,
  key: { namespace: 'team', name },
  options: { uid: `uid-${name}` },
});
const stamped = patched('PersistentVolumeClaim', PVC, {
  [CLAIM_ANNOTATION]: stampOf(2).replace('"members":3', '"members":4'),
});
const allowed = patched('Pod', POD, { [JOIN_ANNOTATION]: join });

const ROWS: readonly (readonly [string, MemberStep, readonly Call[]])[] = [
  [
    'annotates the PVC before the Pod that may join',
    { kind: 'allowJoin', pod, join, members: 4, claim, message },
    [stamped, allowed],
  ],
  [
    'annotates only the Pod when the data is on no PVC',
    { kind: 'allowJoin', pod, join, members: 4, message },
    [allowed],
  ],
  [
    'ends the permission to join, and notes that the Pod had it',
    { kind: 'endJoin', pod, message },
    [patched('Pod', POD, { [JOIN_ANNOTATION]: null, [JOINED_ANNOTATION]: 'true' })],
  ],
  [
    'deletes the PVC before its Pod',
    { kind: 'recreate', pod, claim, message },
    [deleted('PersistentVolumeClaim', PVC), deleted('Pod', POD)],
  ],
  [
    'deletes only the Pod when its PVC stays',
    { kind: 'recreate', pod, message },
    [deleted('Pod', POD)],
  ],
  [
    'deletes a PVC',
    { kind: 'deleteClaim', claim, message },
    [deleted('PersistentVolumeClaim', PVC)],
  ],
];

const failed = (code: number): ApiError =>
  new ApiError({ request: 'r', code, reason: 'R', message: 'm' });

describe('changeObjects', () => {
  it.each(ROWS)('%s', async (_, step, expected) => {
    const { client, calls } = recordedClient();
    expect(await changeObjects(client, step, snapshotWith())).toBe(true);
    expect(calls).toEqual(expected);
  });

  it.each(ROWS)('returns false at the first object that has changed: %s', async (_, step, all) => {
    for (const code of [404, 409]) {
      const { client, calls } = recordedClient(() => failed(code));
      expect(await changeObjects(client, step, snapshotWith())).toBe(false);
      expect(calls).toEqual(all.slice(0, 1));
    }
  });

  it.each(ROWS)('throws other errors: %s', async (_, step, all) => {
    for (const error of [failed(403), failed(500), new TypeError('x')]) {
      const { client, calls } = recordedClient(() => error);
      await expect(changeObjects(client, step, snapshotWith())).rejects.toBe(error);
      expect(calls).toEqual(all.slice(0, 1));
    }
  });

  it('does not annotate a PVC again after a crash', async () => {
    const snapshot = snapshotWith();
    const [, , found] = snapshot.host.claims;
    const claims = found ? [{ ...found, metadata: { ...found.metadata, uid: claim.uid } }] : [];
    const { client, calls } = recordedClient();
    const step = { kind: 'allowJoin', pod, join, members: 3, claim, message } as const;
    const seen = { ...snapshot, host: { ...snapshot.host, claims } };
    expect(await changeObjects(client, step, seen)).toBe(true);
    expect(calls).toEqual([allowed]);
  });

  it('lets no Pod join when the Pod of the annotated PVC has changed', async () => {
    const { client } = recordedClient(({ kind }) => (kind === 'Pod' ? failed(409) : undefined));
    const step = { kind: 'allowJoin', pod, join, members: 4, claim, message } as const;
    expect(await changeObjects(client, step, snapshotWith())).toBe(false);
  });

  it.each([
    ['no record', null],
    ['an unreadable record', '{'],
    ['no recorded cluster', JSON.stringify({ ...RECORD, state: 'unborn', clusterID: undefined })],
  ])('writes nothing for a Pod that may join when there is %s', async (_, record) => {
    const { client, calls } = recordedClient();
    const step = { kind: 'allowJoin', pod, join, members: 4, claim, message } as const;
    expect(await changeObjects(client, step, snapshotWith({ record }))).toBe(false);
    expect(calls).toEqual([]);
  });

  it.each<MemberStep>([
    { kind: 'none' },
    { kind: 'wait', message, isJoining: true },
    { kind: 'scale', replicas: 4, message },
    { kind: 'addLearner', pod, message },
    { kind: 'promote', memberId: 'a2', message },
    { kind: 'moveLeader', from: POD, to: 'a0', message },
    { kind: 'removeMember', memberId: 'a2', message },
  ])('leaves $kind to others', async (step) => {
    const { client, calls } = recordedClient();
    expect(await changeObjects(client, step, snapshotWith())).toBeUndefined();
    expect(calls).toEqual([]);
  });
});
