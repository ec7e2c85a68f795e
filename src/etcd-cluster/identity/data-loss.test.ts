import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, pod, wishWith } from '../../instance/__fixtures__/instance.ts';
import { bornRecord } from '../../features/etcd-bootstrap/bootstrap.ts';
import { dataLossOf } from './data-loss.ts';
import { CLAIM_ANNOTATION, type EtcdRecord } from './record.ts';

const membership = { replicas: 3, ordinals: [0, 1, 2], state: 'existing' } as const;
const found = wishWith({ components: { etcd: { local: { replicas: 3 } } } }, membership);
const set = found.objects.filter(({ object }) => object.kind === 'StatefulSet').map(live)[0];

const members = [0, 1, 2].map((n) => pod('etcd', { name: `karmada-demo-etcd-${n}` }));
const uids = members.map(({ metadata }) => metadata.uid ?? '');
const RECORD: EtcdRecord = {
  state: 'born',
  token: 't',
  members: 3,
  ca: 'a1',
  clusterID: 'c0ffee',
  data: uids,
};

/** The Pods; those with the given ordinals are recreated and in a crash loop. */
const crashing = (...ordinals: readonly number[]): readonly KubernetesObject[] =>
  members.map((item, n) => {
    if (!ordinals.includes(n)) return item;
    const state = { waiting: { reason: 'CrashLoopBackOff' } };
    const metadata = { ...item.metadata, uid: `other-${n}` };
    return { ...item, metadata, status: { containerStatuses: [{ state, restartCount: 1 }] } };
  });

const loss = (
  pods: readonly KubernetesObject[],
  record: EtcdRecord = RECORD,
  claims = CLAIMS,
  hasQuorum = false,
): ReturnType<typeof dataLossOf> =>
  dataLossOf({
    live: set ?? { apiVersion: '', kind: '', metadata: { name: '' } },
    record,
    members: pods,
    claims,
    hasQuorum,
  });
const CLAIMS: readonly KubernetesObject[] = [];

describe('dataLossOf', () => {
  it('reports one lost member, and lost data when all members lost theirs', () => {
    expect(loss(members)).toBeUndefined();
    expect(loss(crashing(1))).toMatchObject({
      reason: 'EtcdMemberLost',
      message: expect.stringContaining('Pod karmada-demo-etcd-1 '),
    });
    expect(loss(crashing(0, 1, 2))).toMatchObject({
      reason: 'DataLost',
      message: expect.stringContaining('etcd-start-empty=c0ffee'),
    });
  });

  it('reports no lost member that the operator replaces, because the others have a quorum', () => {
    expect(loss(crashing(1), RECORD, CLAIMS, true)).toBeUndefined();
  });

  it('reports no lost data of the whole cluster while Pods of other members are missing', () => {
    expect(loss(crashing(1).slice(1, 2))?.reason).toBe('EtcdMemberLost');
    expect(loss(crashing(0, 1, 2).slice(1))?.reason).toBe('EtcdMemberLost');
  });

  it('reports nothing when a Pod crashes with the storage of its member', () => {
    const stamp = { clusterID: 'c0ffee', token: 't', ordinal: 1, members: 3, ca: 'a1' };
    const annotations = { [CLAIM_ANNOTATION]: JSON.stringify(stamp) };
    const name = 'etcd-data-karmada-demo-etcd-1';
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, uid: 'c-1' },
    };
    const stamped = { ...claim, metadata: { ...claim.metadata, annotations } };
    expect(loss(crashing(1), RECORD, [claim])?.reason).toBe('EtcdMemberLost');
    expect(loss(crashing(1), { ...RECORD, data: ['c-1'] }, [claim])).toBeUndefined();
    expect(loss(crashing(1), RECORD, [stamped])).toBeUndefined();
  });

  it('reports nothing when the record does not list the storage', () => {
    const { state, token, ca, clusterID = '' } = RECORD;
    const older = { state, token, ca, clusterID, members: 3 };
    expect(loss(crashing(0, 1, 2), older)).toBeUndefined();
  });
});

describe('bornRecord', () => {
  const clusterIdentity = { kind: 'agreed', clusterID: 'c0ffee', members: 3, pods: [] } as const;
  const context = { ca: 'a1', token: 't', storage: 'emptyDir', claims: [] } as const;

  it('is created once with the storage UIDs when the members agree', () => {
    expect(bornRecord({ record: undefined, members, clusterIdentity }, context)).toEqual({
      ...RECORD,
      data: [...uids].sort(),
    });
    expect(bornRecord({ record: RECORD, members, clusterIdentity }, context)).toBeUndefined();
    for (const kind of ['split', 'pending', 'unknown', 'unseen'] as const)
      expect(
        bornRecord({ record: undefined, members, clusterIdentity: { kind } }, context),
      ).toBeUndefined();
  });

  const claims = [0, 1, 2].map((n) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: `etcd-data-karmada-demo-etcd-${n}`, uid: `c-${n}` },
  }));
  it.each<[string, Parameters<typeof bornRecord>[1], number, readonly string[] | undefined]>([
    ['all PVCs', { ...context, storage: 'volumeClaim', claims }, 3, ['c-0', 'c-1', 'c-2']],
    [
      'none while a PVC is missing',
      { ...context, storage: 'volumeClaim', claims: claims.slice(1) },
      3,
      undefined,
    ],
    ['all Pods with an emptyDir', context, 3, [...uids].sort()],
    ['none while a Pod with an emptyDir is missing', context, 2, undefined],
    ['none for a hostPath', { ...context, storage: 'hostPath' }, 3, undefined],
  ])('lists as storage of the members %s', (_, given, pods, data) => {
    const input = { record: undefined, members: members.slice(0, pods), clusterIdentity };
    expect(bornRecord(input, given)?.state).toBe('born');
    expect(bornRecord(input, given)?.data).toEqual(data);
  });

  it('is replaced when all members of the cluster are healthy and others than recorded', () => {
    const pods = members.map(({ metadata }) => metadata.name);
    const record = { ...RECORD, data: ['other'] };
    const healthy = { ...clusterIdentity, pods };
    expect(bornRecord({ record, members, clusterIdentity: healthy }, context)?.data).toEqual(
      [...uids].sort(),
    );
    expect(
      bornRecord({ record: RECORD, members, clusterIdentity: healthy }, context),
    ).toBeUndefined();
    // The new Pod of an unhealthy member has no data.
    const two = { ...clusterIdentity, pods: pods.slice(1) };
    expect(bornRecord({ record, members, clusterIdentity: two }, context)).toBeUndefined();
    const another = { ...record, clusterID: 'beef' };
    expect(
      bornRecord({ record: another, members, clusterIdentity: healthy }, context),
    ).toBeUndefined();
  });

  it('keeps the clusters that were given up', () => {
    const record: EtcdRecord = {
      state: 'unborn',
      token: 't',
      members: 3,
      ca: 'a1',
      startedEmpty: ['x'],
    };
    expect(bornRecord({ record, members, clusterIdentity }, context)?.startedEmpty).toEqual(['x']);
  });
});
