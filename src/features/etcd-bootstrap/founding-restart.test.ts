/** A correction of an etcd on emptyDir that crashes before any API server of the control plane has served. */
import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { planEtcd, type EtcdPlan } from '../etcd-plan/etcd-actions.ts';
import { membersToRestart } from '../etcd-storage/plan-etcd.ts';
import {
  crashed,
  desiredSet,
  ETCD,
  given,
  LATER,
  marked,
  NOT_READY,
  setOf,
  START,
  unavailable,
  UNBORN,
  WRONG,
  type Facts,
} from '../../etcd-cluster/identity/__fixtures__/founding.ts';
import { bootstrapOfLive } from './bootstrap.ts';
import { neverServed } from './never-served.ts';

describe('neverServed', () => {
  const running = {
    ...ETCD,
    status: {
      ...(ETCD['status'] as object),
      containerStatuses: [{ restartCount: 0, state: { running: {} } }],
    },
  };
  const unscheduled = {
    ...ETCD,
    status: { conditions: [{ type: 'PodScheduled', status: 'False' }] },
  };
  const partly = { ...unavailable('ReplicaSetUpdated'), readyReplicas: 1 };
  const ended = { ...ETCD.metadata, deletionTimestamp: START };

  it.each<[string, Facts, boolean]>([
    ['etcd crashed from the beginning', {}, true],
    [
      'the rollout of the API server exceeded its deadline',
      { server: unavailable('ProgressDeadlineExceeded') },
      true,
    ],
    ['the etcd Pod was never scheduled', { pods: [unscheduled] }, true],
    [
      'the template is not existing, so that no API server was created',
      { state: 'new', server: null, pods: [ETCD] },
      true,
    ],
    ['no Pod was created', { state: 'new', server: null, pods: [], set: { replicas: 0 } }, true],
    ['no record exists', { record: undefined }, false],
    [
      'the members formed their cluster',
      { record: { ...UNBORN, state: 'born', clusterID: 'c0ffee' } },
      false,
    ],
    ['the record is of another cluster', { record: { ...UNBORN, token: 'other' } }, false],
    ['data was recovered into the cluster', { record: { ...UNBORN, recovered: ['x'] } }, false],
    [
      'the data of an earlier cluster was given up',
      { record: { ...UNBORN, startedEmpty: ['x'] } },
      false,
    ],
    [
      'a quorum responds',
      { clusterIdentity: { kind: 'agreed', clusterID: 'c', members: 1, pods: [] } },
      false,
    ],
    ['the members belong to different clusters', { clusterIdentity: { kind: 'split' } }, false],
    ['the control plane was Ready', { status: { ...NOT_READY, secretRef: { name: 'a' } } }, false],
    ['a spec ran completely', { status: { ...NOT_READY, appliedSpecHash: 'a' } }, false],
    ['the status was lost', { status: {} }, false],
    ['the API server is available', { server: unavailable('ReplicaSetUpdated', 'True') }, false],
    ['the API server was available', { server: unavailable('NewReplicaSetAvailable') }, false],
    [
      'the rollout of the API server was paused',
      { server: unavailable('DeploymentResumed') },
      false,
    ],
    ['the API server had another template', { serverRevision: '2' }, false],
    ['one of several API servers is ready', { server: partly }, false],
    ['the Deployment of the API server has no status', { server: {} }, false],
    ['the Deployment of the API server is not in the cache', { server: null }, false],
    ['an API server was ready', { pods: [ETCD, crashed('karmada-apiserver', LATER)] }, false],
    ['etcd was ready', { pods: [crashed('etcd', LATER)] }, false],
    ['the start of the etcd Pod is unknown', { pods: [crashed('etcd', START, '')] }, false],
    ['etcd runs, and has not ended', { pods: [running] }, false],
    ['the etcd Pod is not in the cache', { pods: [] }, false],
    ['the etcd Pod is terminating', { pods: [{ ...ETCD, metadata: ended }] }, false],
  ])('decides when %s', (_, facts, expected) => {
    const { snapshot, input } = given(facts);
    expect(neverServed(snapshot, input)).toBe(expected);
  });
});

describe('a correction of an etcd on emptyDir that crashes', () => {
  /** Plan of the corrected spec. */
  function planned(facts: Facts, set = setOf(WRONG, facts)): EtcdPlan {
    const { snapshot, input } = given(facts);
    const bootstrap = bootstrapOfLive({
      ...input,
      live: set,
      claims: [],
      hasQuorum: false,
      neverServed: neverServed(snapshot, input),
    });
    const wanted = desiredSet({}, bootstrap.membership.state);
    const desired = { objects: [wanted], steps: new Set(['etcd'] as const) };
    return planEtcd(
      { snapshot: { ...snapshot, etcdBootstrap: bootstrap }, desired },
      () => set,
      new Set(),
    );
  }
  const reasonsOf = ({ blockedChanges }: EtcdPlan): readonly string[] =>
    blockedChanges.map(({ reason }) => reason);

  it('is written when no API server has ever served', () => {
    expect(reasonsOf(planned({}))).toEqual([]);
  });

  it.each<[string, Facts]>([
    ['the control plane was Ready', { status: { ...NOT_READY, secretRef: { name: 'a' } } }],
    ['the API server was available', { server: unavailable('NewReplicaSetAvailable') }],
    ['etcd was ready', { pods: [marked(crashed('etcd', LATER), desiredSet(WRONG, 'existing'))] }],
  ])('is blocked when %s', (_, facts) => {
    expect(reasonsOf(planned(facts))).toEqual(['EtcdRestartBlocked']);
  });

  it('restarts the member after the template may start a new cluster again', () => {
    const existing = setOf({}, {});
    expect(planned({}, existing).actions).toEqual([]);
    const corrected = setOf({}, { state: 'new' });
    expect(planned({}, corrected).actions.map(({ kind }) => kind)).toEqual(['restartEtcdMember']);
  });

  it.each<[string, KubernetesObject, boolean]>([
    ['restarts a Pod that was never ready', ETCD, true],
    [
      'keeps a Pod that was ready',
      marked(crashed('etcd', LATER), desiredSet(WRONG, 'existing')),
      false,
    ],
  ])('%s', (_, member, isRestarted) => {
    const found = membersToRestart(setOf({}, { state: 'new' }), [member], { isFounding: true });
    expect(found).toEqual(isRestarted ? [member] : []);
  });
});
