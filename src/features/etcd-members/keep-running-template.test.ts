import { describe, expect, it } from '@jest/globals';
import type { KarmadaSpec, PodSettings } from '../../api/karmada.ts';
import { isWorkload } from '../../components/workload.ts';
import { effectiveTemplate } from '../../components/etcd/effective-hash.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  live,
  pod,
  snapshotOf,
  statefulSetOf,
  wishOf,
  wishWith,
} from '../../instance/__fixtures__/instance.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import type { EtcdBootstrap } from '../../instance/etcd-bootstrap.ts';
import {
  EQUAL_REVISION,
  isUpToDate,
  membershipIn,
  withUpdatedMembers,
} from '../../etcd-cluster/pods/membership.ts';
import { membersToRestart, templateBlocked } from '../etcd-storage/plan-etcd.ts';
import { keepRunningTemplate } from './keep-running-template.ts';

const CLAIM = {
  volumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
};

/** A StatefulSet with three members from an operator release without template hash, with API server defaults. */
function olderSet(local: object): KubernetesObject {
  const object = live(statefulSetOf({ replicas: 3, ...local }));
  if (!isWorkload(object)) throw new Error('not a StatefulSet');
  const template = effectiveTemplate(object.spec.template);
  const { containers, ...others } = template.spec;
  const [made] = object.spec.template.spec.containers;
  const [main, ...more] = containers.map((container) => ({
    ...container,
    terminationMessagePath: '/dev/termination-log',
  }));
  const first = { ...main, command: made?.command };
  const spec = { ...others, containers: [first, ...more], restartPolicy: 'Always' };
  return { ...object, spec: { ...object.spec, template: { ...template, spec } } };
}

const PODS = [0, 1, 2].map((n) => pod('etcd', { name: `karmada-demo-etcd-${n}` }));

/** Desired StatefulSet, sealed or kept. */
function wishFor(
  older: KubernetesObject,
  local: object,
  isKept = false,
  more: KarmadaSpec = {},
): DesiredObject {
  const membership = membershipIn(older, isKept ? 'new' : 'existing');
  const desiredState = wishWith(
    { ...more, components: { etcd: { local: { replicas: 3, ...local } } } },
    membership,
  );
  const snapshot = snapshotOf(wishOf(), []);
  const host = { ...snapshot.host, objects: [older], pods: PODS };
  const etcdBootstrap: EtcdBootstrap = { membership, ...(isKept && { isKept: true }) };
  const present = keepRunningTemplate(desiredState, { ...snapshot, host, etcdBootstrap });
  const found = present.objects.find(({ object }) => object.kind === 'StatefulSet');
  if (found === undefined) throw new Error('there is no StatefulSet');
  return found;
}

/** The StatefulSet after the write, with a newer revision. */
function written(desiredState: DesiredObject): KubernetesObject {
  const object = live(desiredState);
  return { ...object, status: { ...(object['status'] as object), updateRevision: 'r2' } };
}

describe('StatefulSet of an earlier operator release', () => {
  it.each([
    ['PVCs', { volumeData: CLAIM }],
    ['emptyDir', {}],
  ])('is sealed without a restart when its storage is %s', (_, local) => {
    const older = olderSet(local);
    const desiredState = wishFor(older, local);
    expect(desiredState.object.metadata.annotations).toMatchObject({ [EQUAL_REVISION]: 'r1' });
    expect(templateBlocked(older, desiredState, PODS)).toBeUndefined();
    const after = written(desiredState);
    expect(PODS.every((member) => isUpToDate(member, after))).toBe(true);
    expect(membersToRestart(after, PODS)).toEqual([]);
    const [counted] = withUpdatedMembers([after], PODS, 'karmada-demo');
    expect(counted?.['status']).toMatchObject({ updatedReplicas: 3 });
  });

  it('keeps its cluster token', () => {
    const older = olderSet({ volumeData: CLAIM });
    expect(membershipIn(older, 'existing').token).toBe('karmada-demo-etcd.team');
    expect(membershipIn(live(wishFor(older, { volumeData: CLAIM })), 'existing')).toEqual(
      membershipIn(older, 'existing'),
    );
  });

  it.each([
    ['another image', { imageTag: '3.6.7-0' }],
    ['an additional label', { labels: { a: 'b' } }],
    ['an additional annotation', { annotations: { a: 'b' } }],
  ])('restarts its members when the spec has %s', (_, change) => {
    const older = olderSet({ volumeData: CLAIM });
    const desiredState = wishFor(older, { volumeData: CLAIM, ...change });
    expect(desiredState.object.metadata.annotations?.[EQUAL_REVISION]).toBeUndefined();
    expect(membersToRestart(written(desiredState), PODS)).toHaveLength(3);
  });

  it.each([
    ['a label', { labels: { a: 'b' } }],
    ['an annotation', { annotations: { a: 'b' } }],
    ['limits', { resources: { limits: { cpu: '1' } } }],
    ['a toleration', { tolerations: [{ key: 'a', operator: 'Exists' }] }],
  ])('restarts its members when %s is removed', (_, before) => {
    const older = olderSet({ volumeData: CLAIM, ...before });
    const desiredState = wishFor(older, { volumeData: CLAIM });
    expect(desiredState.object.metadata.annotations?.[EQUAL_REVISION]).toBeUndefined();
  });

  it('is blocked on emptyDir when the spec changes more than the seal', () => {
    const older = olderSet({});
    const desiredState = wishFor(older, { imageTag: '3.6.7-0' });
    expect(templateBlocked(older, desiredState, PODS)?.reason).toBe('EtcdRestartBlocked');
  });

  it.each<[string, PodSettings, string | undefined]>([
    ['is blocked on emptyDir when podSettings change its Pods', {}, 'EtcdRestartBlocked'],
    [
      'is not blocked when podSettings change other Pods',
      { components: ['karmadaWebhook'] },
      undefined,
    ],
  ])('%s', (_, entry, reason) => {
    const older = olderSet({});
    const podSettings = [{ ...entry, env: [{ name: 'A', value: 'b' }] }];
    const desiredState = wishFor(older, {}, false, { podSettings });
    expect(templateBlocked(older, desiredState, PODS)?.reason).toBe(reason);
  });

  it('keeps the metadata of the PVCs of the Go operator, which ignored that of the spec', () => {
    const metadata = { labels: { a: 'b' } };
    const given = { volumeData: { volumeClaim: { ...CLAIM.volumeClaim, metadata } } };
    const own = olderSet({ volumeData: CLAIM });
    expect(templateBlocked(own, wishFor(own, given), PODS)?.reason).toBe('EtcdStorageBlocked');
    const text = JSON.stringify(own).replace('token=karmada-demo-etcd.team', 'token=etcd-cluster');
    const ofGo = JSON.parse(text) as KubernetesObject;
    expect(templateBlocked(ofGo, wishFor(ofGo, given), PODS)).toBeUndefined();
    const same = JSON.stringify(wishFor(ofGo, { volumeData: CLAIM }).object['spec']);
    expect(JSON.stringify(wishFor(ofGo, given).object['spec'])).toBe(same);
  });

  it('counts as up to date while it is kept, unless the spec changes it', () => {
    const older = olderSet({ volumeData: CLAIM });
    const kept = wishFor(older, { volumeData: CLAIM }, true);
    expect(kept).toMatchObject({
      untouched: true,
      hash: older.metadata.annotations?.[APPLIED_HASH],
    });
    const changed = wishFor(older, { volumeData: CLAIM, imageTag: '3.6.7-0' }, true);
    expect(changed.untouched).toBe(true);
    expect(changed.hash).not.toBe(older.metadata.annotations?.[APPLIED_HASH]);
  });

  it('keeps the equivalent revision after it was sealed until the template changes', () => {
    const local = { volumeData: CLAIM };
    const existing = written(wishFor(olderSet(local), local));
    expect(wishFor(existing, local).object.metadata.annotations).toMatchObject({
      [EQUAL_REVISION]: 'r1',
    });
    const changed = wishFor(existing, { ...local, imageTag: '3.6.7-0' });
    expect(changed.object.metadata.annotations?.[EQUAL_REVISION]).toBeUndefined();
  });
});

it('membersToRestart replaces a stopped member that cannot start the new cluster only while the cluster forms', () => {
  const found = live(statefulSetOf({ replicas: 1, volumeData: CLAIM }));
  const status = { ...(found['status'] as object), updateRevision: 'r2' };
  const containerStatuses = [{ name: 'etcd', state: { waiting: {} }, restartCount: 2 }];
  const crashed = { ...pod('etcd', { revision: 'r1' }), status: { containerStatuses } };
  const { template } = found['spec'] as { template: { metadata: { annotations: object } } };
  const annotations = { ...template.metadata.annotations } as Record<string, string>;
  const member = { ...crashed, metadata: { ...crashed.metadata, annotations } };
  expect(membersToRestart({ ...found, status }, [member])).toEqual([]);
  expect(membersToRestart({ ...found, status }, [member], { isFounding: true })).toEqual([member]);
});
