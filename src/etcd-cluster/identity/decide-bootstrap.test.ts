import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decideEtcdBootstrap,
  type BootstrapDecision,
  type EtcdEvidence,
  type PodEvidence,
  type WantedEtcd,
} from './decide-bootstrap.ts';
import type { ClaimEvidence } from './foreign-claims.ts';
import type { ClaimAnnotation, EtcdRecord } from './record.ts';

const CLUSTER = 'c0ffee';
const OTHER = 'decaf';

const BORN: EtcdRecord = {
  state: 'born',
  token: 'demo-etcd.team.one',
  members: 3,
  clusterID: CLUSTER,
  ca: 'a1',
};
const UNBORN: EtcdRecord = { state: 'unborn', token: 'demo-etcd.team.one', members: 3, ca: 'a1' };

const NOTHING: EtcdEvidence = {
  karmada: { name: 'karmada-demo', uid: 'u-1' },
  claims: [],
  pods: [],
  volumes: [],
  record: undefined,
  authorities: ['a1', 'a2'],
  wasReady: false,
};

const wanted = (replicas: number, storage: WantedEtcd['storage'] = 'volumeClaim'): WantedEtcd => ({
  replicas,
  storage,
});

function stamp(ordinal: number, more: Partial<ClaimAnnotation> = {}): ClaimAnnotation {
  return { clusterID: CLUSTER, token: BORN.token, ordinal, members: 3, ca: 'a1', ...more };
}

function claim(ordinal: number, more: Partial<ClaimEvidence> = {}): ClaimEvidence {
  const name = `etcd-data-karmada-demo-etcd-${ordinal}`;
  return { name, ordinal, isUnbound: false, isTerminating: false, stamp: undefined, ...more };
}

const stamped = (ordinal: number, more: Partial<ClaimAnnotation> = {}): ClaimEvidence =>
  claim(ordinal, { stamp: stamp(ordinal, more) });

function pod(ordinal: number, more: Partial<PodEvidence> = {}): PodEvidence {
  const name = `karmada-demo-etcd-${ordinal}`;
  return { name, ordinal, neverRan: false, isTerminating: false, ...more };
}

const of = (decision: BootstrapDecision): string =>
  'members' in decision ? `${decision.kind} ${decision.members}` : decision.reason;

const decided = (evidence: Partial<EtcdEvidence>, desiredState: WantedEtcd): string =>
  of(decideEtcdBootstrap({ ...NOTHING, ...evidence }, desiredState));

describe('decideEtcdBootstrap', () => {
  it.each<[string, Partial<EtcdEvidence>, WantedEtcd, string]>([
    ['starts a new cluster when nothing exists', {}, wanted(3), 'new 3'],
    ['starts a new cluster on emptyDir when nothing exists', {}, wanted(1, 'emptyDir'), 'new 1'],
    ['blocks when a read failed', { unread: '403' }, wanted(3), 'EtcdEvidenceReadFailed'],
    [
      'blocks when the record is not valid',
      { record: 'unreadable' },
      wanted(3),
      'EtcdRecordUnreadable',
    ],
    [
      'uses the members of a StatefulSet without labels',
      { statefulSet: { members: 1 } },
      wanted(3),
      'existing 1',
    ],
    [
      'starts a new cluster when the PVC was never bound',
      { claims: [claim(0, { isUnbound: true })] },
      wanted(3),
      'new 3',
    ],
    // PVCs of a release without annotations: the highest ordinal counts.
    [
      'starts 1 member when PVC 0 exists and 3 replicas are desired',
      { claims: [claim(0)] },
      wanted(3),
      'existing 1',
    ],
    [
      'starts 3 members when PVCs 0, 1 and 2 exist and 1 replica is desired',
      { claims: [claim(0), claim(1), claim(2)] },
      wanted(1),
      'existing 3',
    ],
    [
      'starts 3 members when PVCs 0 and 2 exist',
      { claims: [claim(0), claim(2)] },
      wanted(3),
      'existing 3',
    ],
    ['starts 3 members when only PVC 2 exists', { claims: [claim(2)] }, wanted(1), 'existing 3'],
    [
      'starts 5 members when PVCs 0 to 4 exist and 3 replicas are desired',
      { claims: [0, 1, 2, 3, 4].map((n) => claim(n)) },
      wanted(3),
      'existing 5',
    ],
    [
      'starts 3 members when PVC 0 and a record of 3 members exist',
      { claims: [claim(0)], record: BORN },
      wanted(1),
      'existing 3',
    ],
    [
      'starts 3 members when PVC 0 and an unconfirmed record of 3 members exist',
      { claims: [claim(0)], record: UNBORN },
      wanted(1),
      'existing 3',
    ],
    // PVCs with annotations.
    [
      'starts 3 members when 1 of 3 annotated PVCs is lost',
      { claims: [stamped(0), stamped(2)] },
      wanted(1),
      'existing 3',
    ],
    [
      'starts 1 member when its annotated PVC exists and 3 replicas are desired',
      { claims: [stamped(0, { members: 1 })] },
      wanted(3),
      'existing 1',
    ],
    [
      'starts 3 members when only one of two PVCs is annotated',
      { claims: [stamped(0), claim(1)] },
      wanted(1),
      'existing 3',
    ],
    [
      'starts existing data when the PVC belongs to the next CA',
      { claims: [stamped(0, { ca: 'a2' })] },
      wanted(3),
      'existing 3',
    ],
    [
      'blocks when a PVC belongs to another CA',
      { claims: [stamped(0, { ca: 'b1' })] },
      wanted(1),
      'EtcdClaimForeign',
    ],
    [
      'starts existing data of the recorded cluster when its first CA has left',
      { claims: [stamped(0)], record: BORN, authorities: ['b1', 'b2'] },
      wanted(3),
      'existing 3',
    ],
    [
      'blocks when a PVC of the recorded cluster belongs to a CA that neither it nor the control plane had',
      { claims: [stamped(0, { ca: 'c1' })], record: BORN, authorities: ['b1', 'b2'] },
      wanted(3),
      'EtcdClaimForeign',
    ],
    [
      'blocks when a PVC belongs to the recorded CA and to another cluster',
      {
        claims: [stamped(0, { clusterID: OTHER })],
        record: BORN,
        authorities: ['b1', 'b2'],
      },
      wanted(3),
      'EtcdClaimForeign',
    ],
    [
      'blocks when a PVC belongs to another ordinal',
      { claims: [claim(0, { stamp: stamp(1) })] },
      wanted(1),
      'EtcdClaimForeign',
    ],
    [
      'blocks when a PVC belongs to another cluster than the record',
      { claims: [stamped(0, { clusterID: OTHER })], record: BORN },
      wanted(1),
      'EtcdClaimForeign',
    ],
    [
      'blocks when PVCs belong to two clusters',
      { claims: [stamped(0), stamped(1, { clusterID: OTHER })] },
      wanted(3),
      'EtcdClaimsOfTwoClusters',
    ],
    [
      'blocks when a PVC annotation is not valid',
      { claims: [claim(0, { stamp: 'unreadable' })] },
      wanted(1),
      'EtcdClaimUnreadable',
    ],
    [
      'blocks when a PVC is terminating',
      { claims: [claim(0, { isTerminating: true })] },
      wanted(1),
      'EtcdClaimsTerminating',
    ],
    [
      'blocks when PVCs exist and emptyDir is desired',
      { claims: [claim(0)] },
      wanted(1, 'emptyDir'),
      'EtcdStorageBlocked',
    ],
    // Pods without a StatefulSet.
    [
      'starts existing data when an orphaned Pod on emptyDir exists',
      { pods: [pod(0)] },
      wanted(3, 'emptyDir'),
      'existing 1',
    ],
    [
      'blocks when a Pod on emptyDir is terminating',
      { pods: [pod(0, { isTerminating: true })] },
      wanted(1, 'emptyDir'),
      'EtcdPodsLeft',
    ],
    [
      'starts a new cluster when the only Pod never ran',
      { pods: [pod(0, { neverRan: true })] },
      wanted(1, 'emptyDir'),
      'new 1',
    ],
    // Records without data.
    [
      'reports lost data when a record exists without data',
      { record: BORN },
      wanted(3),
      'DataLost',
    ],
    [
      'reports lost data on emptyDir when a record exists without data',
      { record: BORN },
      wanted(3, 'emptyDir'),
      'DataLost',
    ],
    [
      'starts existing data when a record exists and the data is on a node',
      { record: BORN },
      wanted(1, 'hostPath'),
      'existing 3',
    ],
    [
      'reports lost data when the control plane was Ready and no data exists',
      { wasReady: true },
      wanted(1, 'emptyDir'),
      'DataLost',
    ],
    [
      'starts a new cluster when the record is unconfirmed and no data exists',
      { record: UNBORN },
      wanted(1),
      'new 1',
    ],
    [
      'starts a new cluster when the annotation gives up the lost cluster',
      { record: BORN, startEmpty: CLUSTER },
      wanted(1),
      'new 1',
    ],
    [
      'reports lost data when the annotation gives up another cluster',
      { record: BORN, startEmpty: OTHER },
      wanted(1),
      'DataLost',
    ],
    [
      'reports lost data when the annotation was already used',
      { record: { ...BORN, startedEmpty: [CLUSTER] }, startEmpty: CLUSTER },
      wanted(1),
      'DataLost',
    ],
    [
      'blocks when the annotation gives up the cluster and its PVCs exist',
      { record: BORN, startEmpty: CLUSTER, claims: [claim(0)] },
      wanted(1),
      'EtcdClaimsKept',
    ],
    [
      'starts a new cluster when an empty start is in progress',
      { record: { ...UNBORN, startedEmpty: ['u-1'] }, startEmpty: 'u-1', wasReady: true },
      wanted(1),
      'new 1',
    ],
    [
      'blocks when a retained PersistentVolume exists',
      { volumes: ['pv-1'] },
      wanted(1),
      'EtcdVolumesFound',
    ],
  ])('%s', (_, evidence, desiredState, expected) => {
    expect(decided(evidence, desiredState)).toBe(expected);
  });

  it('names the members, the cluster and the remedy when data is lost', () => {
    const decision = decideEtcdBootstrap(
      { ...NOTHING, record: BORN, volumes: ['pv-1'] },
      wanted(3),
    );
    expect(decision).toMatchObject({
      kind: 'dataLost',
      message:
        'etcd: data not found (the record in Secret karmada-demo-ca-backup lists etcd cluster c0ffee with 3 members; PersistentVolume pv-1 may contain it); restore the PersistentVolumeClaims, or annotate the Karmada with operator.karmada.io/etcd-start-empty=c0ffee to start with an empty etcd',
    });
  });

  it('names each PVC with its cluster when PVCs belong to two clusters', () => {
    const claims = [stamped(0), stamped(1, { clusterID: OTHER })];
    const decision = decideEtcdBootstrap({ ...NOTHING, claims }, wanted(3));
    expect(decision).toMatchObject({
      message: expect.stringContaining(
        'etcd-data-karmada-demo-etcd-0: cluster c0ffee, member 0 of 3; etcd-data-karmada-demo-etcd-1: cluster decaf, member 1 of 3',
      ),
    });
  });

  const anyStamp = fc.record({
    clusterID: fc.constantFrom(CLUSTER, OTHER),
    token: fc.constantFrom(BORN.token, 'demo-etcd.team.two'),
    ordinal: fc.nat({ max: 4 }),
    members: fc.integer({ min: 1, max: 5 }),
    ca: fc.constantFrom('a1', 'a2', 'b1'),
  });
  const anyClaim = fc
    .record({
      ordinal: fc.nat({ max: 4 }),
      isUnbound: fc.boolean(),
      isTerminating: fc.boolean(),
      stamp: fc.option(fc.oneof(anyStamp, fc.constant('unreadable' as const)), { nil: undefined }),
    })
    .map(({ ordinal, ...more }) => claim(ordinal, more));
  const anyPod = fc
    .record({ ordinal: fc.nat({ max: 4 }), neverRan: fc.boolean(), isTerminating: fc.boolean() })
    .map(({ ordinal, ...more }) => pod(ordinal, more));
  const ids = fc.constantFrom(CLUSTER, OTHER, 'u-1');
  const anyRecord = fc.option(
    fc.oneof(
      fc.constant('unreadable' as const),
      fc
        .record({
          base: fc.constantFrom(BORN, UNBORN),
          startedEmpty: fc.option(fc.uniqueArray(ids, { maxLength: 2, minLength: 1 }), {
            nil: undefined,
          }),
        })
        .map(({ base, startedEmpty }) => ({ ...base, ...(startedEmpty && { startedEmpty }) })),
    ),
    { nil: undefined },
  );
  const anyEvidence: fc.Arbitrary<EtcdEvidence> = fc
    .record({
      unread: fc.option(fc.constant('timeout'), { nil: undefined, freq: 8 }),
      statefulSet: fc.option(fc.record({ members: fc.constantFrom(1, 3) }), { nil: undefined }),
      claims: fc.uniqueArray(anyClaim, { selector: ({ ordinal }) => ordinal, maxLength: 4 }),
      pods: fc.uniqueArray(anyPod, { selector: ({ ordinal }) => ordinal, maxLength: 3 }),
      volumes: fc.oneof(fc.constant([]), fc.constant(['pv-1'])),
      record: anyRecord,
      wasReady: fc.boolean(),
      startEmpty: fc.option(ids, { nil: undefined }),
    })
    .map(({ unread, statefulSet, startEmpty, ...others }) => ({
      ...NOTHING,
      ...others,
      ...(unread !== undefined && { unread }),
      ...(statefulSet && { statefulSet }),
      ...(startEmpty !== undefined && { startEmpty }),
    }));
  const anyWish = fc.record({
    replicas: fc.constantFrom(1, 3, 5),
    storage: fc.constantFrom('volumeClaim', 'hostPath', 'emptyDir'),
  });

  it('starts no new cluster when data may exist or was not readable', () => {
    fc.assert(
      fc.property(anyEvidence, anyWish, (evidence, desiredState) => {
        if (decideEtcdBootstrap(evidence, desiredState).kind !== 'new') return;
        const { unread, statefulSet, claims, pods, record } = evidence;
        expect([unread, statefulSet]).toEqual([undefined, undefined]);
        expect(record).not.toBe('unreadable');
        expect(claims.filter(({ isUnbound }) => !isUnbound)).toEqual([]);
        expect(pods.filter(({ neverRan }) => !neverRan)).toEqual([]);
      }),
      { numRuns: 5_000 },
    );
  });

  /** Id of the cluster that data belonged to; undefined without data, or while it is being given up. */
  function dataOf({ record, wasReady, volumes }: EtcdEvidence): string | undefined {
    const known = typeof record === 'object' ? record : undefined;
    if (known?.state === 'unborn' && known.startedEmpty !== undefined) return undefined;
    if (known?.clusterID !== undefined) return known.clusterID;
    return wasReady || volumes.length > 0 ? 'u-1' : undefined;
  }

  it('starts no new cluster when a record or volume exists, unless the user gave up that cluster', () => {
    fc.assert(
      fc.property(anyEvidence, anyWish, (evidence, desiredState) => {
        if (decideEtcdBootstrap(evidence, desiredState).kind !== 'new') return;
        const id = dataOf(evidence);
        if (id === undefined) return;
        const { record, startEmpty } = evidence;
        expect(startEmpty).toBe(id);
        expect(typeof record === 'object' ? (record.startedEmpty ?? []) : []).not.toContain(id);
      }),
      { numRuns: 5_000 },
    );
  });

  it('starts existing data with its previous members for any desired number of replicas', () => {
    fc.assert(
      fc.property(
        anyEvidence,
        anyWish,
        fc.constantFrom(1, 3, 5),
        (evidence, desiredState, replicas) => {
          const one = decideEtcdBootstrap(evidence, desiredState);
          const other = decideEtcdBootstrap(evidence, { ...desiredState, replicas });
          const isOnNode = desiredState.storage === 'hostPath';
          if (one.kind === 'existing' && !isOnNode) expect(other).toEqual(one);
          expect(other.kind).toBe(one.kind);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
