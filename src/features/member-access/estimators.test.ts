import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import { ofKind } from '../../actions/action.ts';
import type { EstimatorTarget } from '../../components/component.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  accessHash,
  accessSecret,
  type MemberConnection,
} from '../../member-clusters/estimator-kubeconfig.ts';
import type { MemberCluster } from '../../member-clusters/member-cluster.ts';
import {
  karmadaOf,
  live,
  NO_MEMBERS,
  snapshotOf,
  VIEW,
  wishOf,
} from '../../instance/__fixtures__/instance.ts';
import { assess } from '../../controllers/karmada/assess.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import { estimatorTargets, estimatorWarnings, existingEstimators } from './estimators.ts';
import { memberActions } from './members.ts';
import { planInstance } from '../components/plan.ts';
import type { Plan } from '../../actions/planner.ts';
import type { MembersSnapshot, Snapshot } from '../../instance/snapshot.ts';
import { statusOf } from '../../controllers/karmada/status.ts';
import { stepStates } from '../components/steps.ts';
import type { Condition, KarmadaStatus } from '../../api/karmada.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import type { DesiredObjects } from '../../instance/desired-objects.ts';

const ON = { components: { karmadaSchedulerEstimator: {} } };
const OWNER = { name: 'karmada-demo', namespace: 'team' };
const NOTHING: ExecutionResult = {
  live: new Map(),
  problems: [],
  errors: [],
  blockedChanges: [],
  writes: 0,
};

const accessTo = (name: string): MemberConnection => ({
  server: `https://${name}`,
  insecure: false,
  token: 't',
  narrow: true,
});

const secretOf = (name: string): KubernetesObject => accessSecret(OWNER, name, accessTo(name));

const target = (cluster: string): EstimatorTarget => ({
  cluster,
  accessHash: accessHash(accessTo(cluster)),
});

const memberNamed = (name: string): MemberCluster => ({
  name,
  uid: name,
  server: `https://${name}`,
  insecure: false,
  proxyHeader: false,
});

const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `m-${index}`);

const known = (names: readonly string[], more: Partial<MembersSnapshot> = {}): MembersSnapshot => ({
  ...NO_MEMBERS,
  state: 'known',
  members: names.map(memberNamed),
  ...more,
});

const UNKNOWN: MembersSnapshot = { ...NO_MEMBERS, state: 'unknown', message: 'the API is away' };

/** A complete control plane with estimators for these member clusters. */
function instanceWith(
  names: readonly string[],
  members: MembersSnapshot,
): { readonly desiredState: DesiredObjects; readonly snapshot: Snapshot } {
  const desiredState = wishOf(ON, names.map(target));
  const snapshot = snapshotOf(desiredState, [...desiredState.steps], {
    karmada: karmadaOf(ON),
    members,
  });
  const secrets = names.map(secretOf);
  const host = { ...snapshot.host, objects: [...snapshot.host.objects, ...secrets] };
  return { desiredState, snapshot: { ...snapshot, host } };
}

/** The plan of a reconcile for this snapshot. */
function pass(snapshot: Snapshot): { readonly desiredState: DesiredObjects; readonly plan: Plan } {
  const desiredState = wishOf(snapshot.karmada.spec ?? {}, estimatorTargets(snapshot));
  const states = stepStates(desiredState, snapshot);
  return {
    desiredState,
    plan: planInstance({ snapshot, desired: desiredState, states, blockedChanges: [] }, VIEW),
  };
}

const removed = ({ actions }: Plan): string[] =>
  ofKind(actions, 'remove').map(({ object }) => `${object.kind} ${object.metadata.name}`);

describe('estimatorTargets', () => {
  it('returns each selected member cluster that has credentials', () => {
    const { snapshot } = instanceWith(['m1', 'm2'], known(['m1', 'm3']));
    expect(estimatorTargets(snapshot)).toEqual([target('m1')]);
  });

  it('returns a running estimator while its Secret is recreated', () => {
    const { snapshot } = instanceWith(['m1'], known(['m1']));
    const objects = snapshot.host.objects.filter(({ kind }) => kind !== 'Secret');
    expect(estimatorTargets({ ...snapshot, host: { ...snapshot.host, objects } })).toEqual([
      target('m1'),
    ]);
  });

  it('returns another access hash when the address of a member cluster changes', () => {
    const { snapshot } = instanceWith(['m1'], known(['m1']));
    const moved = accessSecret(OWNER, 'm1', { ...accessTo('m1'), server: 'https://moved' });
    const objects = [...snapshot.host.objects.filter(({ kind }) => kind !== 'Secret'), moved];
    const [found] = estimatorTargets({ ...snapshot, host: { ...snapshot.host, objects } });
    expect(found?.accessHash).not.toBe(target('m1').accessHash);
  });

  it('leads to the removal of Service and Deployment, but not of the Secret, when a member cluster leaves', () => {
    const { snapshot } = instanceWith(['m1', 'm2'], known(['m1']));
    expect(removed(pass(snapshot).plan)).toEqual([
      'Service karmada-demo-scheduler-estimator-m2',
      'Deployment karmada-demo-scheduler-estimator-m2',
    ]);
  });

  it.each<[string, MembersSnapshot]>([
    ['cannot be listed', UNKNOWN],
    ['have not been read yet', { ...UNKNOWN, state: 'reading' }],
  ])('keeps all estimators when the Clusters %s', (_what, members) => {
    const { snapshot } = instanceWith(['m1', 'm2'], members);
    expect(estimatorTargets(snapshot)).toEqual([target('m1'), target('m2')]);
    expect(ofKind(pass(snapshot).plan.actions, 'remove')).toEqual([]);
    // Even if the Secret and the pod template annotations are lost.
    const objects = snapshot.host.objects
      .filter(({ kind, metadata }) => kind !== 'Secret' || !metadata.name.includes('m2'))
      .map((object) =>
        object.metadata.name.endsWith('-m2') ? { ...object, spec: { replicas: 1 } } : object,
      );
    const { plan } = pass({ ...snapshot, host: { ...snapshot.host, objects } });
    expect(ofKind(plan.actions, 'remove')).toEqual([]);
    expect(plan.blockedChanges.map(({ reason }) => reason)).toContain('MembersUnknown');
  });

  it('leads to the removal of all estimators when they are disabled', () => {
    const { snapshot } = instanceWith(['m1'], NO_MEMBERS);
    const off = { components: { karmadaSchedulerEstimator: { enabled: false } } };
    expect(removed(pass({ ...snapshot, karmada: karmadaOf(off) }).plan)).toEqual([
      'Service karmada-demo-scheduler-estimator-m1',
      'Deployment karmada-demo-scheduler-estimator-m1',
    ]);
  });
});

describe('SchedulerEstimatorReady', () => {
  function statusFor(snapshot: Snapshot, before: KarmadaStatus = {}): KarmadaStatus {
    const { desiredState, plan } = pass(snapshot);
    const certificateProblem = undefined;
    const outcome = NOTHING;
    return statusOf(
      assess({ snapshot, desired: desiredState, view: VIEW, plan, outcome, certificateProblem }),
      before,
    );
  }

  const conditionIn = (status: KarmadaStatus, type: string): Partial<Condition> =>
    status.conditions?.find((condition) => condition.type === type) ?? {};
  const estimators = (snapshot: Snapshot, before: KarmadaStatus = {}): Partial<Condition> =>
    conditionIn(statusFor(snapshot, before), 'SchedulerEstimatorReady');
  const unreachable = { reason: 'MemberUnreachable', message: 'it does not answer' } as const;

  it('is absent when estimators are disabled', () => {
    const desiredState = wishOf();
    expect(estimators(snapshotOf(desiredState, [...desiredState.steps]))).toEqual({});
  });

  it('is True when all estimators run or no member cluster exists', () => {
    const { snapshot } = instanceWith(['m1'], known(['m1']));
    expect(estimators(snapshot)).toMatchObject({
      status: 'True',
      reason: 'Available',
      message: '',
    });
    const none = instanceWith([], known([]));
    expect(estimators(none.snapshot)).toMatchObject({ status: 'True', reason: 'NoMembers' });
  });

  it('is False with the name of a failing member cluster while Ready stays True', () => {
    const problems = new Map([['m2', unreachable]]);
    const { snapshot } = instanceWith(['m1'], known(['m1', 'm2'], { problems }));
    expect(estimators(snapshot)).toMatchObject({
      status: 'False',
      reason: 'MemberUnreachable',
      message: 'member cluster m2: it does not answer',
    });
    expect(conditionIn(statusFor(snapshot), 'Ready')).toMatchObject({ status: 'True' });
    expect(conditionIn(statusFor(snapshot), 'Degraded')).toMatchObject({ status: 'False' });
  });

  it('is False when a Pod is not ready or the API server rejects a write', () => {
    const { desiredState, snapshot } = instanceWith(['m1'], known(['m1']));
    const objects = snapshot.host.objects.map((object) =>
      object.kind === 'Deployment' && object.metadata.name.endsWith('-m1')
        ? { ...object, status: { ...(object['status'] as object), availableReplicas: 0 } }
        : object,
    );
    const broken = { ...snapshot, host: { ...snapshot.host, objects } };
    expect(estimators(broken)).toMatchObject({ status: 'False', reason: 'Progressing' });
    expect(estimators(broken).message).toMatch(/^member cluster m1: .*0 of 1 Pods available/);
    expect(conditionIn(statusFor(broken), 'Ready')).toMatchObject({ status: 'True' });
    const { plan } = pass(broken);
    const step = 'karmada-scheduler-estimator' as const;
    const refused = { step, reason: 'ObjectRefused', message: 'quota exceeded' } as const;
    const assessment = assess({
      snapshot: broken,
      desired: desiredState,
      view: VIEW,
      plan,
      certificateProblem: undefined,
      outcome: { ...NOTHING, problems: [refused] },
    });
    const status = statusOf(assessment, {});
    expect(conditionIn(status, 'SchedulerEstimatorReady').message).toContain('quota exceeded');
    expect(conditionIn(status, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('reports an estimator that uses the credentials of the Cluster object', () => {
    const notes = new Map([['m1', 'it has no namespace x']]);
    const { snapshot } = instanceWith(['m1'], known(['m1'], { notes }));
    expect(estimators(snapshot)).toMatchObject({ status: 'True', reason: 'Available' });
    expect(estimators(snapshot).message).toMatch(
      /^member cluster m1: .*credentials.*no namespace x$/,
    );
  });

  it('is Unknown when the member clusters are not known, unless the first read has not ended', () => {
    const { snapshot } = instanceWith(['m1'], UNKNOWN);
    expect(estimators(snapshot)).toMatchObject({ status: 'Unknown', reason: 'MembersUnknown' });
    const before = statusFor(instanceWith(['m1'], known(['m1'])).snapshot);
    const reading = { ...snapshot, members: { ...UNKNOWN, state: 'reading' as const } };
    expect(estimators(reading, before)).toMatchObject({ status: 'True', reason: 'Available' });
    expect(estimators(reading)).toMatchObject({ status: 'Unknown' });
  });

  it('leaves Ready True while the plan removes estimators', () => {
    const { snapshot } = instanceWith(['m1'], known([]));
    expect(ofKind(pass(snapshot).plan.actions, 'remove')).not.toEqual([]);
    expect(conditionIn(statusFor(snapshot), 'Ready')).toMatchObject({ status: 'True' });
  });
});

it('planInstance applies Service and Deployment of an estimator when its access Secret exists', () => {
  const { snapshot } = instanceWith([], known(['m1']));
  const host = { ...snapshot.host, objects: [...snapshot.host.objects, secretOf('m1')] };
  const { desiredState, plan } = pass({ ...snapshot, host });
  const applied = ofKind(plan.actions, 'apply').filter(
    ({ target: { step } }) => step === 'karmada-scheduler-estimator',
  );
  expect(applied.map(({ target: { object } }) => object.kind)).toEqual(['Service', 'Deployment']);
  const there = desiredState.objects
    .filter(({ step }) => step === 'karmada-scheduler-estimator')
    .map(live);
  expect(there).toHaveLength(2);
});

describe('memberActions', () => {
  const paused = (name: string): KubernetesObject => {
    const secret = secretOf(name);
    const annotations = { [PAUSE_REPAIR]: 'true' };
    return { ...secret, metadata: { ...secret.metadata, annotations } };
  };
  const named = (snapshot: Snapshot): unknown =>
    memberActions(snapshot).map(({ wanted, leaving }) => [
      wanted.map(({ member, credentials }) => `${member.name} ${credentials}`),
      leaving.map(({ metadata }) => metadata.name),
    ]);
  const withSecrets = (
    members: MembersSnapshot,
    secrets: readonly KubernetesObject[],
  ): Snapshot => {
    const { snapshot } = instanceWith([], members);
    return { ...snapshot, host: { ...snapshot.host, objects: secrets } };
  };
  const credentials = new Map([['m1', 'v1']]);

  it.each<[string, MembersSnapshot, readonly KubernetesObject[], unknown]>([
    ['no action while the member clusters are not known', UNKNOWN, [secretOf('m1')], []],
    ['no action without member clusters and Secrets', known([]), [], []],
    [
      'a desired access with the version of the credentials',
      known(['m1'], { credentials }),
      [],
      [[['m1 v1'], []]],
    ],
    [
      'the removal of access when a member cluster has left',
      known([]),
      [secretOf('m1')],
      [[[], [secretOf('m1').metadata.name]]],
    ],
    [
      'empty lists when repair of the Secrets is paused',
      known(['m1']),
      [paused('m1'), paused('m2')],
      [[[], []]],
    ],
  ])('returns %s', (_, members, secrets, expected) => {
    expect(named(withSecrets(members, secrets))).toEqual(expected);
  });
});

describe('existingEstimators', () => {
  it('returns the member clusters with a Secret or a Deployment of an estimator', () => {
    expect(existingEstimators([secretOf('a'), secretOf('b')])).toEqual(new Set(['a', 'b']));
    const other = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } };
    expect(existingEstimators([other])).toEqual(new Set());
  });
});

describe('estimatorWarnings', () => {
  const warned = (count: number, clusters?: readonly string[]): readonly string[] => {
    const components = { karmadaSchedulerEstimator: { ...(clusters && { clusters }) } };
    const spec = defaultSpec({ components }, { defaultStorageClass: false });
    return estimatorWarnings({ spec, members: known(numbered(count)) }).map(({ reason }) => reason);
  };

  it.each([
    ['more estimators than the maximum', 101, undefined, ['EstimatorLimitExceeded']],
    ['the maximum', 100, undefined, []],
    ['more than the maximum that the spec names', 101, numbered(101), []],
  ])('warns about existing estimators above the maximum: %s', (_, count, clusters, reasons) => {
    expect(warned(count, clusters)).toEqual(reasons);
  });
});
