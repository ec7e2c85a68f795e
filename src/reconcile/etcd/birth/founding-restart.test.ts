/** A correction of an etcd on emptyDir that crashes before any API server of the control plane has served. */
import { describe, expect, it } from '@jest/globals';
import type { KarmadaStatus } from '../../../api/karmada.ts';
import { COMPONENT } from '../../../api/labels.ts';
import { EFFECTIVE_HASH } from '../../../components/etcd/effective-hash.ts';
import type { EtcdMembership } from '../../../components/component.ts';
import { isWorkload } from '../../../components/workload.ts';
import type { KubernetesObject } from '../../../kubernetes/object.ts';
import { karmadaOf, live, pod, snapshotOf, wishWith } from '../../__fixtures__/instance.ts';
import type { DesiredObject } from '../../desired-objects.ts';
import type { Snapshot } from '../../snapshot.ts';
import { planEtcd, type EtcdPlan } from '../etcd-actions.ts';
import { membersToRestart } from '../plan-etcd.ts';
import type { Agreement } from './agreement.ts';
import { birthOfLive, hasServed } from './birth.ts';
import { neverServed } from './never-served.ts';
import type { EtcdRecord } from './record.ts';
import type { SealInput } from './seal.ts';

const TOKEN = 'karmada-demo-etcd.team';
const UNBORN: EtcdRecord = { state: 'unborn', token: TOKEN, members: 1, ca: 'a1' };
const START = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T00:00:05Z';
const WRONG = { extraArgs: { 'no-such-flag': 'x' } };

/** What is recorded of the control plane, apart from what is usual for an etcd that crashes from the beginning. */
interface Facts {
  readonly record?: EtcdRecord | undefined;
  readonly agreement?: Agreement;
  readonly status?: KarmadaStatus;
  readonly state?: EtcdMembership['state'];
  /** Status of the StatefulSet. */
  readonly set?: object;
  readonly pods?: readonly KubernetesObject[];
  /** The Deployment of the API server; null without one. */
  readonly server?: object | null;
  readonly serverRevision?: string;
}

const NOT_READY: KarmadaStatus = {
  conditions: [
    { ...{ type: 'Ready', status: 'False', reason: 'a', message: '' }, lastTransitionTime: START },
  ],
};
const unavailable = (reason: string, available = 'False'): object => ({
  conditions: [
    { type: 'Available', status: available },
    { type: 'Progressing', status: 'True', reason },
  ],
});

/** A Pod whose container has ended, and which lost its readiness at a time. */
function crashed(
  component: string,
  since = START,
  startTime: string | undefined = START,
): KubernetesObject {
  const found = pod(component, { name: `karmada-demo-${component}-0` });
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const container = {
    name: component,
    restartCount: 4,
    state,
    lastState: { terminated: { exitCode: 1 } },
  };
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: since }];
  return {
    ...found,
    status: { ...(startTime && { startTime }), conditions, containerStatuses: [container] },
  };
}

/** A Pod with the hash of a template. */
function marked(found: KubernetesObject, template: DesiredObject): KubernetesObject {
  if (!isWorkload(template.object)) throw new Error('not a StatefulSet');
  const hash = template.object.spec.template.metadata.annotations?.[EFFECTIVE_HASH] ?? '';
  return { ...found, metadata: { ...found.metadata, annotations: { [EFFECTIVE_HASH]: hash } } };
}

function desiredSet(local: object, state: EtcdMembership['state']): DesiredObject {
  const membership = { replicas: 1, ordinals: [0], state, token: TOKEN };
  const { objects } = wishWith({ components: { etcd: { local } } }, membership);
  const found = objects.find(({ object }) => object.kind === 'StatefulSet');
  if (found === undefined) throw new Error('there is no StatefulSet');
  return found;
}

const ETCD = marked(crashed('etcd'), desiredSet(WRONG, 'existing'));

function setOf(
  local: object,
  { state = 'existing', set = { replicas: 1 } }: Facts,
): KubernetesObject {
  const found = live(desiredSet(local, state));
  return { ...found, status: { ...(found['status'] as object), ...set } };
}

function serverOf({ server, serverRevision = '1' }: Facts): readonly KubernetesObject[] {
  if (server === null) return [];
  const [found] = snapshotOf(wishWith({}, { replicas: 1, ordinals: [0], state: 'existing' }), [
    'karmada-apiserver',
  ]).host.objects.filter(({ kind }) => kind === 'Deployment');
  if (found === undefined) throw new Error('there is no API server');
  const annotations = { 'deployment.kubernetes.io/revision': serverRevision };
  const metadata = {
    ...found.metadata,
    annotations: { ...found.metadata.annotations, ...annotations },
  };
  return [{ ...found, metadata, status: server ?? unavailable('ReplicaSetUpdated') }];
}

const isEtcd = ({ metadata }: KubernetesObject): boolean => metadata.labels?.[COMPONENT] === 'etcd';

/** The control plane as the operator sees it. */
function given(facts: Facts): { readonly snapshot: Snapshot; readonly input: SealInput } {
  const { status = NOT_READY, pods = [ETCD, crashed('karmada-apiserver')] } = facts;
  const record = 'record' in facts ? facts.record : UNBORN;
  const { agreement = { kind: 'unknown' } } = facts;
  const set = setOf(WRONG, facts);
  const found = snapshotOf({ objects: [], steps: new Set() }, []);
  const host = { ...found.host, objects: [set, ...serverOf(facts)], pods };
  const snapshot = { ...found, karmada: { ...karmadaOf(), status }, host };
  const members = pods.filter(isEtcd);
  return {
    snapshot,
    input: { live: set, record, members, agreement, hasServed: hasServed(snapshot) },
  };
}

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
      'the template is not sealed, so that no API server was created',
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
      { agreement: { kind: 'agreed', clusterID: 'c', members: 1, pods: [] } },
      false,
    ],
    ['the members belong to different clusters', { agreement: { kind: 'split' } }, false],
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
    const birth = birthOfLive({
      ...{ ...input, live: set, claims: [], hasQuorum: false },
      neverServed: neverServed(snapshot, input),
    });
    const wanted = desiredSet({}, birth.membership.state);
    const desired = { objects: [wanted], steps: new Set(['etcd'] as const) };
    return planEtcd({ snapshot: { ...snapshot, etcdBirth: birth }, desired }, () => set, new Set());
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
    const sealed = setOf({}, {});
    expect(planned({}, sealed).actions).toEqual([]);
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
