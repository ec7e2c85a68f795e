/**
 * Random histories of a recovery: faults, other annotations, members that come back, and a crash after every write.
 *
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import type { RecoveryFacts, RestorePod } from '../../etcd-cluster/recovery/facts.ts';
import { nextRecoveryStep, REVISION_BUMP, type RecoveryStep } from './next-step.ts';

const FORMER = 'a';
const REVISION = 50n;
const VALUE = 'demo-etcd-0/a/50';
const OTHERS = ['demo-etcd-0/a/49', 'demo-etcd-0/b/50', 'yes'];

type Event =
  | { readonly kind: 'reconcile' }
  | { readonly kind: 'annotate'; readonly value: string }
  | { readonly kind: 'progress' }
  | { readonly kind: 'failPod' | 'deletePod' | 'deleteClaim' }
  | { readonly kind: 'quorumBack' | 'quorumGone' | 'loseSurvivor' | 'write' };

interface Disk {
  readonly uid: string;
  /** Whether a restore wrote to it, and whether the restore was complete. */
  content: 'empty' | 'partial' | 'complete';
  /** Revision of the restored data, without the bump. */
  revision: bigint;
}

/** One etcd with a survivor, its record and its StatefulSet. */
class World {
  record: EtcdRecord | undefined = RECORD;
  requested: string | undefined;
  /** Token of the live StatefulSet. */
  set: string | undefined = 't1';
  apiPods = 1;
  hasQuorum = false;
  isSurvivorUp = true;
  disk: Disk | undefined;
  pod: { uid: string; state: 'pending' | 'running' | 'failed' } | undefined;
  isKept = false;
  /** Whether the first member of the new cluster runs. */
  serves = false;
  /** Revision of the last acknowledged write. */
  revision = REVISION;
  /** Whether the former etcd serves, and the user has named the member that replaces it. */
  readonly isReplaced: boolean;
  #count = 0;

  constructor(isReplaced = false) {
    this.isReplaced = isReplaced;
    this.hasQuorum = isReplaced;
    if (isReplaced) this.record = undefined;
  }

  uid(): string {
    this.#count += 1;
    return `u${String(this.#count)}`;
  }

  facts(): RecoveryFacts {
    return {
      record: this.record,
      ...(this.isReplaced && { isReplaced: true, newestRevision: String(this.revision) }),
      ...this.#confirmation(),
      ...this.#restoreObjects(),
      hasSurvivors: this.isSurvivorUp && this.set === 't1',
      clusterID: this.serves ? 'new' : FORMER,
      ...(this.set !== undefined && { statefulSet: { token: this.set, isTerminating: false } }),
      clients: Array.from({ length: this.apiPods }, () => API_POD),
      formerClaims: [{ name: 'former', uid: 'c0', ...(this.isKept && { kept: FORMER }) }],
    };
  }

  #confirmation(): Pick<RecoveryFacts, 'requested' | 'refusal' | 'hasQuorum'> {
    const { phase, from = this.requested } = this.record?.recovery ?? {};
    return {
      ...(this.requested !== undefined && { requested: this.requested }),
      ...(from !== undefined && !this.#matches(from) && { refusal: 'does not match' }),
      hasQuorum: this.hasQuorum || (phase === 'switching' && this.serves),
    };
  }

  #matches(from: string): boolean {
    return from === VALUE && this.isSurvivorUp && (this.isReplaced || !this.hasQuorum);
  }

  #restoreObjects(): Pick<RecoveryFacts, 'claim' | 'pod'> {
    return {
      ...(this.disk && { claim: { ...OWN, name: 'claim', uid: this.disk.uid } }),
      ...(this.pod && { pod: this.#podFact(this.pod) }),
    };
  }

  #podFact({ uid, state }: NonNullable<World['pod']>): RestorePod {
    const isRunning = state === 'running' && this.disk?.content === 'complete';
    const revision = String((this.disk?.revision ?? 0n) + REVISION_BUMP);
    return {
      ...OWN,
      name: 'restore',
      uid,
      hasFailed: state === 'failed',
      ageMs: 60_000,
      ...(isRunning && { answer: { clusterID: 'new', revision, isLeader: true } }),
    };
  }

  /** Executes one step. */
  execute(step: RecoveryStep): void {
    switch (step.kind) {
      case 'begin':
        return this.#begin(step.from);
      case 'record':
        return this.#note(step.record);
      case 'createClaim':
        expect(this.disk).toBeUndefined();
        this.disk = { uid: this.uid(), content: 'empty', revision: 0n };
        return;
      case 'createPod':
        expect([this.apiPods, this.isSurvivorUp]).toEqual([0, true]);
        this.pod = { uid: this.uid(), state: 'pending' };
        return;
      case 'keepClaims':
        this.isKept = true;
        return;
      default:
        this.#delete(step);
    }
  }

  #begin(from: string): void {
    expect([from, this.hasQuorum]).toEqual([VALUE, this.isReplaced]);
    const recovery = { from, token: 't2', volume: 'r1-etcd-data', phase: 'restoring' } as const;
    const known = this.record ?? RECORD;
    const isUnrecorded = this.record === undefined && ({ isUnrecorded: true } as const);
    this.record = { ...known, recovery: { ...recovery, ...isUnrecorded } };
  }

  #delete(step: RecoveryStep): void {
    switch (step.kind) {
      case 'deleteClaim':
        // Only the PVC of the restore, and never after the new cluster is recorded.
        expect([this.disk?.uid, this.record?.clusterID]).toEqual([step.uid, FORMER]);
        this.disk = undefined;
        return;
      case 'deletePod':
        this.pod = undefined;
        return;
      case 'deleteStatefulSet':
        // The new cluster is recorded, its data is complete, and the former PVCs are marked.
        expect([this.record?.clusterID, this.disk?.content, this.isKept, this.pod]).toEqual([
          'new',
          'complete',
          true,
          undefined,
        ]);
        this.set = undefined;
        this.hasQuorum = false;
        return;
      default:
    }
  }

  #note(record: EtcdRecord | undefined): void {
    if (record?.recovery?.phase === 'switching') {
      expect([this.disk?.content, this.disk?.revision]).toEqual(['complete', this.revision]);
      expect([this.hasQuorum, this.apiPods]).toEqual([this.isReplaced, 0]);
      expect(record.data).toEqual([this.disk?.uid]);
    }
    if (record?.recovered !== undefined) expect(this.serves).toBe(true);
    this.record = record;
  }

  /** What Kubernetes and other rules of the operator do meanwhile. */
  progress(): void {
    this.apiPods = this.record?.recovery === undefined ? 1 : 0;
    this.#runPod();
    if (this.record?.recovery?.phase !== 'switching') return;
    if (this.set === undefined) this.set = this.record.token;
    else if (this.set === this.record.token) this.serves = true;
  }

  #runPod(): void {
    const { pod, disk } = this;
    if (pod?.state !== 'pending' || disk === undefined) return;
    const isRestored = disk.content === 'empty' && this.isSurvivorUp;
    pod.state = isRestored ? 'running' : 'failed';
    if (isRestored) Object.assign(disk, { content: 'complete', revision: this.revision });
  }

  happen(event: Event): void {
    switch (event.kind) {
      case 'reconcile':
        return this.execute(nextRecoveryStep(this.facts()));
      case 'annotate':
        this.requested = event.value;
        return;
      case 'progress':
        return this.progress();
      case 'write':
        if (this.isReplaced && this.apiPods > 0) this.revision += 1n;
        return;
      case 'failPod':
      case 'deletePod':
      case 'deleteClaim':
        return this.#fail(event.kind);
      default:
        this.#changeMembers(event.kind);
    }
  }

  #fail(kind: 'failPod' | 'deletePod' | 'deleteClaim'): void {
    const isRestoring = this.record?.clusterID === FORMER;
    if (kind === 'deletePod') this.pod = undefined;
    if (!isRestoring) return;
    if (kind === 'deleteClaim') this.disk = undefined;
    if (kind !== 'failPod' || this.pod === undefined) return;
    this.pod.state = 'failed';
    if (this.disk?.content === 'empty') this.disk.content = 'partial';
  }

  #changeMembers(kind: 'quorumBack' | 'quorumGone' | 'loseSurvivor'): void {
    if (kind === 'loseSurvivor') this.isSurvivorUp = false;
    this.hasQuorum = kind === 'quorumBack' && this.set === 't1' && this.isSurvivorUp;
  }
}

const RECORD: EtcdRecord = {
  state: 'born',
  token: 't1',
  members: 3,
  clusterID: FORMER,
  ca: 'ca',
  data: ['c0'],
};
const API_POD = 'api';
const OWN = { isOurs: true, isTerminating: false, isPaused: false } as const;

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ kind: 'reconcile' as const }) },
  { weight: 5, arbitrary: fc.constant({ kind: 'progress' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('annotate' as const),
      value: fc.oneof({ weight: 3, arbitrary: fc.constant(VALUE) }, fc.constantFrom(...OTHERS)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('failPod', 'deletePod', 'deleteClaim', 'quorumBack', 'quorumGone'),
    }),
  },
);

/** Events of an etcd that serves. */
const served: fc.Arbitrary<Event> = fc.oneof(
  { weight: 2, arbitrary: event },
  { weight: 1, arbitrary: fc.constant({ kind: 'write' as const }) },
);
const isOfServing = ({ kind }: Event): boolean => kind !== 'quorumBack' && kind !== 'quorumGone';

/** Reconciles until nothing changes any more. */
function settle(world: World): void {
  for (let count = 0; count < 60; count += 1) {
    world.happen({ kind: 'reconcile' });
    world.progress();
  }
}

describe('recovery', () => {
  it('never ends the former cluster without complete data, and ends in one cluster', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const world = new World();
        for (const one of events) world.happen(one);
        world.happen({ kind: 'quorumGone' });
        world.requested = VALUE;
        settle(world);
        expect(world.record?.recovery).toBeUndefined();
        expect(world.record).toMatchObject({ clusterID: 'new', recovered: [VALUE] });
        expect([world.set, world.serves, world.isKept]).toEqual(['t2', true, true]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('replaces an etcd that serves with all its acknowledged writes', () => {
    fc.assert(
      fc.property(fc.array(served, { maxLength: 60 }), (events) => {
        const world = new World(true);
        for (const one of events.filter(isOfServing)) world.happen(one);
        world.requested = VALUE;
        settle(world);
        expect(world.record).toMatchObject({ clusterID: 'new', recovered: [VALUE] });
        expect(world.disk?.revision).toBe(world.revision);
        expect([world.set, world.serves, world.isKept]).toEqual(['t2', true, true]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves no record when it is withdrawn from an etcd without one', () => {
    fc.assert(
      fc.property(fc.array(served, { maxLength: 40 }), (events) => {
        const world = new World(true);
        for (const one of events.filter(isOfServing)) world.happen(one);
        if (world.record?.clusterID === 'new') return;
        world.requested = undefined;
        settle(world);
        expect([world.set, world.record, world.apiPods]).toEqual(['t1', undefined, 1]);
        expect([world.disk, world.pod]).toEqual([undefined, undefined]);
      }),
    );
  });

  it('changes nothing without an annotation that matches', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const world = new World();
        for (const one of events)
          if (one.kind !== 'annotate' || one.value !== VALUE) world.happen(one);
        settle(world);
        expect([world.set, world.record?.clusterID, world.record?.recovery]).toEqual([
          't1',
          FORMER,
          undefined,
        ]);
        expect([world.disk, world.pod]).toEqual([undefined, undefined]);
      }),
    );
  });

  it('is withdrawn completely when a quorum returns before the new cluster is recorded', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const world = new World();
        for (const one of events) world.happen(one);
        if (world.record?.clusterID !== FORMER) return;
        world.happen({ kind: 'quorumBack' });
        settle(world);
        expect([world.set, world.record.recovery, world.apiPods]).toEqual(['t1', undefined, 1]);
      }),
    );
  });

  it('keeps the last copy of the data when the survivor is lost', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const world = new World();
        for (const one of events) world.happen(one);
        const hadData = world.disk?.content === 'complete' && world.pod?.state === 'running';
        world.happen({ kind: 'loseSurvivor' });
        world.requested = world.record?.recovery?.from ?? world.requested;
        settle(world);
        if (hadData) expect(world.disk?.content).toBe('complete');
      }),
    );
  });
});
