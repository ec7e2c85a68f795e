import { describe, expect, it } from '@jest/globals';
import type { EtcdRecord, Recovery } from '../../etcd-cluster/identity/record.ts';
import type { RecoveryFacts, RestorePod } from '../../etcd-cluster/recovery/facts.ts';
import { without } from '../../etcd-cluster/recovery/without.ts';
import { nextRecoveryStep, type RecoveryStep } from './next-step.ts';

const FROM = 'demo-etcd-0/a/50';
const RECORD: EtcdRecord = {
  state: 'born',
  token: 't1',
  members: 3,
  clusterID: 'a',
  ca: 'ca',
  data: ['c0', 'c1', 'c2'],
};
const RECOVERY: Recovery = {
  from: FROM,
  token: 't2',
  volume: 'r1-etcd-data',
  phase: 'restoring',
};
const RESTORING: EtcdRecord = { ...RECORD, recovery: RECOVERY };
const SWITCHING: EtcdRecord = {
  state: 'born',
  token: 't2',
  members: 1,
  clusterID: 'b',
  ca: 'ca',
  data: ['new'],
  volume: 'r1-etcd-data',
  recovery: { ...RECOVERY, phase: 'switching' },
};
const CLAIM = {
  name: 'r1-etcd-data-demo-etcd-0',
  uid: 'new',
  isOurs: true,
  isTerminating: false,
  isPaused: false,
};
const POD: RestorePod = {
  name: 'demo-etcd-recovery-etcd-0',
  uid: 'pod',
  isOurs: true,
  isTerminating: false,
  isPaused: false,
  hasFailed: false,
  ageMs: 60_000,
};
const ANSWER = { clusterID: 'b', revision: '1000000050', isLeader: true };

const API_POD = 'demo-apiserver-1';

const factsWith = (more: Partial<RecoveryFacts> = {}): RecoveryFacts => ({
  requested: FROM,
  record: RECORD,
  hasSurvivors: true,
  hasQuorum: false,
  statefulSet: { token: 't1', isTerminating: false },
  clients: [],
  formerClaims: [],
  ...more,
});

const restoring = (more: Partial<RecoveryFacts> = {}): RecoveryStep =>
  nextRecoveryStep(factsWith({ record: RESTORING, ...more }));
const switching = (more: Partial<RecoveryFacts> = {}): RecoveryStep =>
  nextRecoveryStep(factsWith({ record: SWITCHING, ...more }));

describe('nextRecoveryStep without a recovery', () => {
  it('begins when the annotation matches', () => {
    expect(nextRecoveryStep(factsWith())).toMatchObject({ kind: 'begin', from: FROM });
  });

  it('refuses an annotation that does not match', () => {
    const step = nextRecoveryStep(factsWith({ refusal: 'member demo-etcd-0 has revision 51' }));
    expect(step).toEqual({ kind: 'refused', message: 'member demo-etcd-0 has revision 51' });
  });

  it.each<readonly [string, RecoveryFacts]>([
    ['an annotation that was executed', factsWith({ record: { ...RECORD, recovered: [FROM] } })],
    ['no record', factsWith({ record: undefined })],
    ['no annotation', (({ requested: _, ...facts }) => facts)(factsWith())],
  ])('does nothing with %s', (_, facts) => {
    expect(nextRecoveryStep(facts)).toEqual({ kind: 'none' });
  });
});

describe('nextRecoveryStep for an etcd of the Go operator that serves', () => {
  const SERVING = { isReplaced: true, hasQuorum: true, newestRevision: '60' } as const;

  it('begins without a record', () => {
    const step = nextRecoveryStep(factsWith({ ...SERVING, record: undefined }));
    expect(step).toMatchObject({ kind: 'begin', from: FROM });
  });

  it.each<readonly [string, Partial<RecoveryFacts>, object]>([
    ['stops the clients first', { clients: [API_POD] }, { kind: 'wait' }],
    ['continues with a quorum', {}, { kind: 'createClaim' }],
    [
      'does not use data older than the last write',
      { claim: CLAIM, pod: { ...POD, answer: { ...ANSWER, revision: '1000000059' } } },
      { kind: 'wait' },
    ],
    [
      'uses data with the last write',
      { claim: CLAIM, pod: { ...POD, answer: { ...ANSWER, revision: '1000000060' } } },
      { kind: 'record', record: { clusterID: 'b', recovery: { phase: 'switching' } } },
    ],
  ])('%s', (_, more, expected) => {
    expect(restoring({ ...SERVING, ...more })).toMatchObject(expected);
  });

  it('deletes the record that it has written when it is withdrawn', () => {
    const recovery = { ...RECOVERY, isUnrecorded: true } as const;
    const record = { ...RECORD, recovery };
    const facts = without(factsWith({ ...SERVING, record }), 'requested');
    expect(nextRecoveryStep(facts)).toMatchObject({ kind: 'record', record: undefined });
  });

  it('records a cluster without http', () => {
    const pod = { ...POD, answer: { ...ANSWER, revision: '1000000060' } };
    const record = { ...RESTORING, origin: 'GoOperator', peers: 'http' } as const;
    const step = restoring({ ...SERVING, record, claim: CLAIM, pod });
    expect(step).toMatchObject({ record: { origin: 'GoOperator' } });
    expect(step).not.toHaveProperty('record.peers');
  });
});

describe('nextRecoveryStep while data is restored', () => {
  it.each<readonly [string, Partial<RecoveryFacts>, Partial<RecoveryStep>]>([
    ['waits for the Pods of the API servers', { clients: [API_POD] }, { kind: 'wait' }],
    [
      'shortens the grace period of the Pods of the API servers',
      { clients: [API_POD], slowClients: [{ name: API_POD, uid: 'api' }] },
      { kind: 'endClients', pods: [{ name: API_POD, uid: 'api' }] },
    ],
    ['creates the PVC', {}, { kind: 'createClaim' }],
    ['creates the Pod', { claim: CLAIM }, { kind: 'createPod' }],
    ['waits for the Pod', { claim: CLAIM, pod: POD }, { kind: 'wait' }],
    ['waits while the survivor does not match', { refusal: 'x' }, { kind: 'wait', message: 'x' }],
    ['leaves a PVC of others alone', { claim: { ...CLAIM, isOurs: false } }, { kind: 'wait' }],
    [
      'leaves a Pod of others alone',
      { claim: CLAIM, pod: { ...POD, isOurs: false, answer: ANSWER } },
      { kind: 'wait' },
    ],
    [
      'waits before another attempt',
      { claim: CLAIM, pod: { ...POD, hasFailed: true, ageMs: 1_000 } },
      { kind: 'wait' },
    ],
    [
      'tries again earlier while the API servers are stopped',
      { claim: CLAIM, pod: { ...POD, hasFailed: true, ageMs: 20_000 } },
      { kind: 'deleteClaim', uid: 'new' },
    ],
    [
      'names the cause for a longer time while they run',
      {
        record: { ...RECORD, recovery: { ...RECOVERY, phase: 'loading' } },
        claim: CLAIM,
        pod: { ...POD, hasFailed: true, ageMs: 59_999, problem: 'container load: no file' },
      },
      { kind: 'wait', message: `Pod ${POD.name} has failed (container load: no file)` },
    ],
    [
      'deletes the PVC of a failed attempt',
      { claim: CLAIM, pod: { ...POD, hasFailed: true } },
      { kind: 'deleteClaim', uid: 'new' },
    ],
    [
      'deletes the Pod of a failed attempt after its PVC',
      { claim: { ...CLAIM, isTerminating: true }, pod: { ...POD, hasFailed: true } },
      { kind: 'deletePod', uid: 'pod' },
    ],
    ['ends a Pod whose PVC is gone', { pod: POD }, { kind: 'deletePod' }],
    [
      'does not use data of the former cluster',
      { claim: CLAIM, pod: { ...POD, answer: { ...ANSWER, clusterID: 'a' } } },
      { kind: 'wait' },
    ],
    [
      'does not use incomplete data',
      { claim: CLAIM, pod: { ...POD, answer: { ...ANSWER, revision: '1000000049' } } },
      { kind: 'wait' },
    ],
    [
      'deletes no object whose repair is paused',
      { hasQuorum: true, claim: { ...CLAIM, isPaused: true } },
      { kind: 'wait' },
    ],
  ])('%s', (_, more, step) => expect(restoring(more)).toMatchObject(step));

  it('records the new cluster when its member has all data', () => {
    const step = restoring({ claim: CLAIM, pod: { ...POD, answer: ANSWER } });
    expect(step).toMatchObject({ kind: 'record', record: SWITCHING });
  });

  it('uses the restored data when the survivor fails meanwhile', () => {
    const pod = { ...POD, answer: ANSWER };
    const more = { claim: CLAIM, pod, refusal: 'member demo-etcd-0 does not respond' };
    expect(restoring({ ...more, hasSurvivors: false }).kind).toBe('record');
    expect(restoring({ ...more, hasSurvivors: true }).kind).toBe('wait');
  });

  it.each<readonly [string, Partial<RecoveryFacts>]>([
    ['a quorum is back', { hasQuorum: true }],
    ['the annotation was changed', { requested: 'demo-etcd-1/a/50' }],
  ])('is withdrawn when %s', (_, more) => {
    const pod = { ...POD, answer: ANSWER };
    expect(restoring({ ...more, claim: CLAIM, pod })).toMatchObject({ kind: 'deletePod' });
    expect(restoring({ ...more, claim: CLAIM })).toMatchObject({ kind: 'deleteClaim' });
    expect(restoring(more)).toMatchObject({ kind: 'record', record: RECORD });
    expect(restoring(more)).not.toHaveProperty('record.recovery');
  });
});

describe('nextRecoveryStep while the cluster is replaced', () => {
  const former = { name: 'etcd-data-demo-etcd-0', uid: 'c0' };

  it.each<readonly [string, Partial<RecoveryFacts>, Partial<RecoveryStep>]>([
    ['labels the former PVCs', { formerClaims: [former], pod: POD }, { kind: 'keepClaims' }],
    [
      'ends the restore Pod before its PVC is used again',
      { formerClaims: [{ ...former, kept: 'a' }], pod: POD },
      { kind: 'deletePod' },
    ],
    ['waits for the restore Pod', { pod: { ...POD, isTerminating: true } }, { kind: 'wait' }],
    ['deletes the former StatefulSet', {}, { kind: 'deleteStatefulSet' }],
    [
      'waits for its deletion',
      { statefulSet: { token: 't1', isTerminating: true } },
      { kind: 'wait' },
    ],
    [
      'waits for the first member',
      { statefulSet: { token: 't2', isTerminating: false } },
      { kind: 'wait' },
    ],
    [
      'waits while a member of another cluster has the quorum',
      { statefulSet: { token: 't2', isTerminating: false }, hasQuorum: true, clusterID: 'a' },
      { kind: 'wait' },
    ],
  ])('%s', (_, more, step) => expect(switching(more)).toMatchObject(step));

  it('ends when the first member serves, and remembers the annotation', () => {
    const step = switching({
      statefulSet: { token: 't2', isTerminating: false },
      hasQuorum: true,
      clusterID: 'b',
    });
    expect(step).toMatchObject({ kind: 'record', record: { clusterID: 'b', recovered: [FROM] } });
    expect(step).not.toHaveProperty('record.recovery');
  });

  it('cannot be withdrawn', () => {
    expect(switching({ hasQuorum: true, clusterID: 'a', requested: 'x/a/1' }).kind).toBe(
      'deleteStatefulSet',
    );
  });
});

describe('nextRecoveryStep while a backup is loaded', () => {
  const from = 'restore:back/a/50';
  const record = (phase: Recovery['phase']): EtcdRecord => ({
    ...RECORD,
    recovery: { ...RECOVERY, from, phase },
  });
  const base = { requested: from, hasQuorum: true, clients: [API_POD] };
  const stepIn = (phase: Recovery['phase'], more: Partial<RecoveryFacts> = {}): RecoveryStep =>
    nextRecoveryStep(factsWith({ ...base, record: record(phase), ...more }));
  const loaded = { claim: CLAIM, pod: { ...POD, answer: ANSWER } };

  it('begins although etcd has a quorum', () => {
    expect(nextRecoveryStep(factsWith(base))).toMatchObject({ kind: 'begin', from });
  });

  it.each<readonly [string, Partial<RecoveryFacts>, Partial<RecoveryStep>]>([
    ['creates the PVC while the API servers run', {}, { kind: 'createClaim' }],
    ['creates the Pod while the API servers run', { claim: CLAIM }, { kind: 'createPod' }],
    ['waits for the Pod', { claim: CLAIM, pod: POD }, { kind: 'wait' }],
    [
      'waits if the data is older than the backup',
      { claim: CLAIM, pod: { ...POD, answer: { ...ANSWER, revision: '1000000049' } } },
      { kind: 'wait' },
    ],
    ['is withdrawn without the annotation', { requested: '', ...loaded }, { kind: 'deletePod' }],
  ])('%s', (_, more, wanted) => expect(stepIn('loading', more)).toMatchObject(wanted));

  it('stops the API servers when the data is complete', () => {
    expect(stepIn('loading', loaded)).toMatchObject({
      kind: 'record',
      record: { token: 't1', clusterID: 'a', recovery: { from, phase: 'restoring' } },
    });
  });

  it('switches after the API servers have stopped, although etcd has a quorum', () => {
    expect(stepIn('restoring', loaded)).toMatchObject({ kind: 'wait' });
    expect(stepIn('restoring', { ...loaded, clients: [] })).toMatchObject({
      kind: 'record',
      record: { token: 't2', clusterID: 'b', recovery: { phase: 'switching' } },
    });
  });
});
