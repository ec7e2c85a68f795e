import { describe, expect, it } from '@jest/globals';
import { AT } from '../../etcd/__fixtures__/answers.ts';
import { JOIN_ANNOTATION } from '../../components/etcd/join.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { CLAIM_ANNOTATION } from '../../etcd-cluster/identity/record.ts';
import { viewOfPods } from './etcd-members.ts';
import {
  answersOf,
  claimAt,
  nameOf,
  podAt,
  RECORD,
  setIn,
  snapshotWith,
  stampOf,
} from '../../etcd-cluster/members/__fixtures__/objects.ts';
import { NO_VOLUMES } from '../../etcd-cluster/pods/defects.ts';
import type { MemberClaim, MemberFacts, MemberPod } from '../../etcd-cluster/members/facts.ts';
import { JOINED_ANNOTATION } from './pod-facts.ts';
import { memberFacts, type EtcdObjects } from './member-facts.ts';
import { memberStep } from './read-facts.ts';

function factsOf(snapshot: Snapshot, more: Partial<EtcdObjects> = {}): MemberFacts {
  const { pods, claims } = snapshot.host;
  const view = viewOfPods(answersOf(), pods, AT);
  const given = { statefulSet: setIn(snapshot), pods, claims, view, now: AT, volumes: NO_VOLUMES };
  return memberFacts(snapshot, { ...given, ...more });
}

const ENDED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const crashed = (restartCount: number): object => ({
  containerStatuses: [{ restartCount, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
});
/** A record that names neither Pod nor PVC of ordinal 2. */
const REPLACED = JSON.stringify({ ...RECORD, data: ['other'] });

describe('memberFacts', () => {
  it('reads a healthy etcd', () => {
    const snapshot = snapshotWith();
    const facts = factsOf(snapshot);
    expect(facts).toMatchObject({
      wanted: 3,
      replicas: 3,
      isFormed: true,
      templateCanJoin: true,
      excludesUnready: true,
      storage: 'volumeClaim',
      deletesClaims: false,
      statefulSet: 'karmada-demo-etcd',
      domain: 'karmada-demo-etcd.team.svc.cluster.local',
    });
    expect(facts).not.toHaveProperty('cannotGrow');
    expect(facts.view.serving).toHaveLength(3);
    expect(facts.pods[2]).toEqual({
      ordinal: 2,
      name: nameOf(2),
      uid: `uid-${nameOf(2)}`,
      isScheduled: true,
      isTerminating: false,
      isPaused: false,
      canJoin: true,
      hasLostData: false,
      isBackingOff: false,
      wasMember: false,
    });
    expect(facts.claims[2]).toEqual({
      ordinal: 2,
      name: `etcd-data-${nameOf(2)}`,
      uid: `uid-etcd-data-${nameOf(2)}`,
      isTerminating: false,
      isPaused: false,
      isUnbound: false,
      content: 'thisCluster',
    });
  });

  it('reads a missing permission to let a Pod join', () => {
    const facts = factsOf({ ...snapshotWith(), missingRights: ['patch pods'] });
    expect(facts.cannotGrow?.reason).toBe('HostRightsMissing');
  });

  it.each<[string, Parameters<typeof snapshotWith>[0], Partial<MemberFacts>]>([
    ['the desired number', { local: { replicas: 5 } }, { wanted: 5, replicas: 3 }],
    ['an etcd that is not existing', { state: 'new' }, { isFormed: false }],
    ['an etcd without a record', { record: null }, { isFormed: false }],
    ['an unreadable record', { record: '{' }, { isFormed: false }],
    [
      'a record of a cluster that has not formed',
      { record: JSON.stringify({ ...RECORD, state: 'unborn' }) },
      { isFormed: false },
    ],
    ['an emptyDir', { local: { volumeData: { emptyDir: {} } } }, { storage: 'emptyDir' }],
    [
      'a hostPath',
      { local: { volumeData: { hostPath: { path: '/data' } } } },
      { storage: 'hostPath' },
    ],
    [
      'whenScaled Delete',
      { local: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } } },
      { deletesClaims: true },
    ],
    [
      'whenScaled Retain',
      { local: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain' } } },
      { deletesClaims: false },
    ],
    [
      'a release that reports learners as ready',
      { local: { imageTag: '3.5.18-0' } },
      {
        templateCanJoin: false,
        cannotGrow: {
          reason: 'EtcdMembersBlocked',
          message: expect.stringContaining('3.5.18-0 is no etcd release') as unknown as string,
        },
      },
    ],
    [
      'the first release that does not',
      { local: { imageTag: '3.5.19-0' } },
      { templateCanJoin: true },
    ],
  ])('reads %s', (_, given, expected) => {
    expect(factsOf(snapshotWith(given))).toMatchObject(expected);
  });

  it('reads a template that the StatefulSet controller has not observed', () => {
    const snapshot = snapshotWith();
    const found = setIn(snapshot);
    const statefulSet = { ...found, metadata: { ...found.metadata, generation: 2 } };
    expect(factsOf(snapshot, { statefulSet }).templateCanJoin).toBe(false);
  });

  it.each<[string, (service: KubernetesObject) => readonly KubernetesObject[], boolean]>([
    ['the client Service', (service) => [service], true],
    ['no client Service', () => [], false],
    [
      'a client Service with Pods that are not ready',
      (service) => [
        { ...service, spec: { ...(service['spec'] as object), publishNotReadyAddresses: true } },
      ],
      false,
    ],
    [
      'a Service with this name of another component',
      (service) => [{ ...service, metadata: { ...service.metadata, labels: {} } }],
      false,
    ],
  ])('reads %s', (_, change, expected) => {
    const snapshot = snapshotWith();
    const objects = snapshot.host.objects.flatMap((object) =>
      object.kind === 'Service' && object.metadata.name === 'karmada-demo-etcd-client'
        ? change(object)
        : [object],
    );
    const host = { ...snapshot.host, objects };
    expect(factsOf({ ...snapshot, host }).excludesUnready).toBe(expected);
  });

  it.each<[string, Parameters<typeof podAt>[1], Partial<MemberPod>, string?]>([
    ['that is not scheduled', { status: {} }, { isScheduled: false }],
    ['that is terminating', { metadata: ENDED }, { isTerminating: true }],
    ['of an earlier template', { spec: { containers: [{ name: 'etcd' }] } }, { canJoin: false }],
    [
      'whose readiness probe ignores learners',
      {
        spec: {
          containers: [
            {
              env: [{ name: 'KARMADA_ETCD_JOIN' }],
              readinessProbe: { httpGet: { path: '/health?exclude=NOSPACE' } },
            },
          ],
        },
      },
      { canJoin: false },
    ],
    [
      'that may join',
      { metadata: { annotations: { [JOIN_ANNOTATION]: ',a=b' } } },
      { join: ',a=b', wasMember: false },
    ],
    ['that failed twice', { status: crashed(2) }, { isBackingOff: false, hasLostData: false }],
    ['that failed three times', { status: crashed(3) }, { isBackingOff: true }],
    [
      'that failed three times and runs',
      { status: { containerStatuses: [{ restartCount: 3, state: { running: {} } }] } },
      { isBackingOff: false },
    ],
    [
      'that has joined',
      { metadata: { annotations: { [JOINED_ANNOTATION]: 'true' } } },
      { wasMember: true },
    ],
    [
      'that is in the record',
      {},
      { wasMember: true },
      JSON.stringify({ ...RECORD, data: [`uid-${nameOf(2)}`] }),
    ],
    [
      'that lost its data',
      { status: crashed(1) },
      { hasLostData: true, wasMember: false },
      REPLACED,
    ],
    [
      'that failed after it had joined',
      { status: crashed(1), metadata: { annotations: { [JOINED_ANNOTATION]: 'true' } } },
      { hasLostData: false },
      REPLACED,
    ],
    ['that never ran', { status: crashed(0) }, { hasLostData: false }, REPLACED],
    [
      'that failed without known holders of the data',
      { status: crashed(1) },
      { hasLostData: false },
      JSON.stringify({ ...RECORD, data: undefined }),
    ],
  ])('reads a Pod %s', (_, change, expected, record = JSON.stringify(RECORD)) => {
    const snapshot = snapshotWith({ record });
    const unused = claimAt(2, { metadata: { annotations: {} } });
    const { pods } = factsOf(snapshot, { pods: [podAt(2, change)], claims: [unused] });
    expect(pods).toEqual([expect.objectContaining(expected)]);
    if (expected.join === undefined) expect(pods[0]).not.toHaveProperty('join');
  });

  it('reads no lost data when the PVC is annotated for this cluster', () => {
    const snapshot = snapshotWith({ record: REPLACED });
    const { pods } = factsOf(snapshot, { pods: [podAt(2, { status: crashed(1) })] });
    expect(pods).toEqual([expect.objectContaining({ hasLostData: false })]);
  });

  it('reads only Pods and PVCs of its own members', () => {
    const others = ['karmada-demo-etcd-x', 'karmada-other-etcd-0'];
    const facts = factsOf(snapshotWith(), {
      pods: [
        ...others.map((name) => podAt(0, { metadata: { name } })),
        podAt(0, { metadata: { labels: {} } }),
      ],
      claims: others.map((name) => claimAt(0, { metadata: { name: `etcd-data-${name}` } })),
    });
    expect([facts.pods, facts.claims]).toEqual([[], []]);
  });

  const pending = { spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } };
  it.each<[string, Parameters<typeof claimAt>[1], Partial<MemberClaim>]>([
    ['that is terminating', { metadata: ENDED }, { isTerminating: true, content: 'thisCluster' }],
    ['that is not bound', pending, { isUnbound: true }],
    ['without annotation', { metadata: { annotations: {} } }, { content: 'unknown' }],
    [
      'with an unreadable annotation',
      { metadata: { annotations: { [CLAIM_ANNOTATION]: '{' } } },
      { content: 'unknown' },
    ],
    [
      'of another cluster',
      { metadata: { annotations: { [CLAIM_ANNOTATION]: stampOf(2, 'bad') } } },
      { content: 'otherCluster' },
    ],
  ])('reads a PVC %s', (_, change, expected) => {
    const { claims } = factsOf(snapshotWith(), { claims: [claimAt(2, change)] });
    expect(claims).toEqual([expect.objectContaining(expected)]);
  });

  it('does not take a PVC for one of this cluster without a record', () => {
    const { claims } = factsOf(snapshotWith({ record: null }));
    expect(claims.map(({ content }) => content)).toEqual(Array(3).fill('otherCluster'));
  });
});

describe('memberStep', () => {
  const seen = (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    etcd: viewOfPods(answersOf(), snapshot.host.pods, AT),
  });

  it('returns the next step from the cache', () => {
    expect(memberStep(seen(snapshotWith()))).toEqual({ kind: 'none' });
    const step = memberStep(seen(snapshotWith({ local: { replicas: 5 } })));
    expect(step).toMatchObject({ kind: 'scale', replicas: 4 });
  });

  it('waits when no member has responded', () => {
    expect(memberStep(snapshotWith({ local: { replicas: 5 } })).kind).toBe('wait');
  });

  it('returns none for an etcd without a StatefulSet, and for an external etcd', () => {
    const snapshot = seen(snapshotWith({ local: { replicas: 5 } }));
    const host = { ...snapshot.host, objects: [] };
    expect(memberStep({ ...snapshot, host })).toEqual({ kind: 'none' });
    const etcd = { external: { endpoints: [], secretRef: { name: 'etcd' } } };
    const components = { ...snapshot.spec.components, etcd };
    const spec = { ...snapshot.spec, components };
    expect(memberStep({ ...snapshot, spec })).toEqual({ kind: 'none' });
  });
});
