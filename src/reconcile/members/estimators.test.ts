import { describe, expect, it } from '@jest/globals';
import { ofKind } from '../action.ts';
import type { EstimatorTarget } from '../../components/component.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { accessHash, accessSecret, type Access } from '../../members/access.ts';
import type { Member } from '../../members/member.ts';
import { karmadaOf, live, NO_MEMBERS, snapshotOf, VIEW, wishOf } from '../__fixtures__/instance.ts';
import { assess } from '../status/assessment.ts';
import { PAUSE_REPAIR } from '../pause.ts';
import { estimatorTargets } from './estimators.ts';
import { memberActions } from './members.ts';
import { planInstance, type Plan } from '../plan.ts';
import type { MembersSnapshot, Snapshot } from '../snapshot.ts';
import { statusOf } from '../status/status.ts';
import { stepStates } from '../steps.ts';
import type { Condition, KarmadaStatus } from '../../api/karmada.ts';
import type { ActOutcome } from '../outcome.ts';
import type { Desired } from '../desired.ts';

const ON = { components: { karmadaSchedulerEstimator: {} } };
const OWNER = { name: 'karmada-demo', namespace: 'team' };
const NOTHING: ActOutcome = { live: new Map(), problems: [], errors: [], holds: [], writes: 0 };

const accessTo = (name: string): Access => ({
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

const memberNamed = (name: string): Member => ({
  name,
  uid: name,
  server: `https://${name}`,
  insecure: false,
  proxyHeader: false,
});

const known = (names: readonly string[], more: Partial<MembersSnapshot> = {}): MembersSnapshot => ({
  ...NO_MEMBERS,
  state: 'known',
  members: names.map(memberNamed),
  ...more,
});

const UNKNOWN: MembersSnapshot = { ...NO_MEMBERS, state: 'unknown', message: 'the API is away' };

/** An instance in which all is done, with estimators for these members. */
function instanceWith(
  names: readonly string[],
  members: MembersSnapshot,
): { readonly wish: Desired; readonly snapshot: Snapshot } {
  const wish = wishOf(ON, names.map(target));
  const snapshot = snapshotOf(wish, [...wish.steps], { karmada: karmadaOf(ON), members });
  const secrets = names.map(secretOf);
  const host = { ...snapshot.host, objects: [...snapshot.host.objects, ...secrets] };
  return { wish, snapshot: { ...snapshot, host } };
}

/** What a pass would do now, from what is there. */
function pass(snapshot: Snapshot): { readonly wish: Desired; readonly plan: Plan } {
  const wish = wishOf(snapshot.karmada.spec ?? {}, estimatorTargets(snapshot));
  const states = stepStates(wish, snapshot);
  return { wish, plan: planInstance({ snapshot, desired: wish, states, holds: [] }, VIEW) };
}

const removed = ({ actions }: Plan): string[] =>
  ofKind(actions, 'remove').map(({ object }) => `${object.kind} ${object.metadata.name}`);

describe('which estimators there are', () => {
  it('one for each member that is wanted and can be entered', () => {
    const { snapshot } = instanceWith(['m1', 'm2'], known(['m1', 'm3']));
    expect(estimatorTargets(snapshot)).toEqual([target('m1')]);
  });

  it('one that runs goes on while its Secret is made anew', () => {
    const { snapshot } = instanceWith(['m1'], known(['m1']));
    const objects = snapshot.host.objects.filter(({ kind }) => kind !== 'Secret');
    expect(estimatorTargets({ ...snapshot, host: { ...snapshot.host, objects } })).toEqual([
      target('m1'),
    ]);
  });

  it('a member with another address gets another pod', () => {
    const { snapshot } = instanceWith(['m1'], known(['m1']));
    const moved = accessSecret(OWNER, 'm1', { ...accessTo('m1'), server: 'https://moved' });
    const objects = [...snapshot.host.objects.filter(({ kind }) => kind !== 'Secret'), moved];
    const [found] = estimatorTargets({ ...snapshot, host: { ...snapshot.host, objects } });
    expect(found?.accessHash).not.toBe(target('m1').accessHash);
  });

  it('a member that left takes them away, but the Secret, which is given back first', () => {
    const { snapshot } = instanceWith(['m1', 'm2'], known(['m1']));
    expect(removed(pass(snapshot).plan)).toEqual([
      'Service karmada-demo-scheduler-estimator-m2',
      'Deployment karmada-demo-scheduler-estimator-m2',
    ]);
  });

  it.each<[string, MembersSnapshot]>([
    ['cannot be listed', UNKNOWN],
    ['have not been read', { ...UNKNOWN, state: 'reading' }],
  ])('that members %s does not mean there are none', (_what, members) => {
    const { snapshot } = instanceWith(['m1', 'm2'], members);
    expect(estimatorTargets(snapshot)).toEqual([target('m1'), target('m2')]);
    expect(ofKind(pass(snapshot).plan.actions, 'remove')).toEqual([]);
    // Not even when what they are known by is lost.
    const objects = snapshot.host.objects
      .filter(({ kind, metadata }) => kind !== 'Secret' || !metadata.name.includes('m2'))
      .map((object) =>
        object.metadata.name.endsWith('-m2') ? { ...object, spec: { replicas: 1 } } : object,
      );
    const { plan } = pass({ ...snapshot, host: { ...snapshot.host, objects } });
    expect(ofKind(plan.actions, 'remove')).toEqual([]);
    expect(plan.holds.map(({ reason }) => reason)).toContain('MembersUnknown');
  });

  it('switched off, all go', () => {
    const { snapshot } = instanceWith(['m1'], NO_MEMBERS);
    const off = { components: { karmadaSchedulerEstimator: { enabled: false } } };
    expect(removed(pass({ ...snapshot, karmada: karmadaOf(off) }).plan)).toEqual([
      'Service karmada-demo-scheduler-estimator-m1',
      'Deployment karmada-demo-scheduler-estimator-m1',
    ]);
  });
});

describe('what is said of them', () => {
  function statusFor(snapshot: Snapshot, before: KarmadaStatus = {}): KarmadaStatus {
    const { wish, plan } = pass(snapshot);
    const certificateProblem = undefined;
    const outcome = NOTHING;
    return statusOf(
      assess({ snapshot, desired: wish, view: VIEW, plan, outcome, certificateProblem }),
      before,
    );
  }

  const conditionIn = (status: KarmadaStatus, type: string): Partial<Condition> =>
    status.conditions?.find((condition) => condition.type === type) ?? {};
  const estimators = (snapshot: Snapshot, before: KarmadaStatus = {}): Partial<Condition> =>
    conditionIn(statusFor(snapshot, before), 'SchedulerEstimatorReady');
  const unreachable = { reason: 'MemberUnreachable', message: 'it does not answer' };

  it('nothing, when there are to be none', () => {
    const wish = wishOf();
    expect(estimators(snapshotOf(wish, [...wish.steps]))).toEqual({});
  });

  it('all run', () => {
    const { snapshot } = instanceWith(['m1'], known(['m1']));
    expect(estimators(snapshot)).toMatchObject({
      status: 'True',
      reason: 'Available',
      message: '',
    });
    const none = instanceWith([], known([]));
    expect(estimators(none.snapshot)).toMatchObject({ status: 'True', reason: 'NoMembers' });
  });

  it('a member that fails is named, and the instance is ready all the same', () => {
    const problems = new Map([['m2', unreachable]]);
    const { snapshot } = instanceWith(['m1'], known(['m1', 'm2'], { problems }));
    expect(estimators(snapshot)).toMatchObject({
      status: 'False',
      reason: 'MemberUnreachable',
      message: 'member m2: it does not answer',
    });
    expect(conditionIn(statusFor(snapshot), 'Ready')).toMatchObject({ status: 'True' });
    expect(conditionIn(statusFor(snapshot), 'Degraded')).toMatchObject({ status: 'False' });
  });

  it('a pod that is not ready is told, and so is a write that was refused', () => {
    const { wish, snapshot } = instanceWith(['m1'], known(['m1']));
    const objects = snapshot.host.objects.map((object) =>
      object.kind === 'Deployment' && object.metadata.name.endsWith('-m1')
        ? { ...object, status: { ...(object['status'] as object), availableReplicas: 0 } }
        : object,
    );
    const broken = { ...snapshot, host: { ...snapshot.host, objects } };
    expect(estimators(broken)).toMatchObject({ status: 'False', reason: 'Progressing' });
    expect(estimators(broken).message).toMatch(/^member m1: .*0 of 1 pods are ready/);
    expect(conditionIn(statusFor(broken), 'Ready')).toMatchObject({ status: 'True' });
    const { plan } = pass(broken);
    const step = 'karmada-scheduler-estimator' as const;
    const refused = { step, reason: 'ObjectRefused', message: 'quota exceeded' };
    const assessment = assess({
      ...{ snapshot: broken, desired: wish, view: VIEW, plan, certificateProblem: undefined },
      outcome: { ...NOTHING, problems: [refused] },
    });
    const status = statusOf(assessment, {});
    expect(conditionIn(status, 'SchedulerEstimatorReady').message).toContain('quota exceeded');
    expect(conditionIn(status, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('wide rights are told', () => {
    const notes = new Map([['m1', 'it has no namespace x']]);
    const { snapshot } = instanceWith(['m1'], known(['m1'], { notes }));
    expect(estimators(snapshot)).toMatchObject({ status: 'True', reason: 'Available' });
    expect(estimators(snapshot).message).toMatch(/^member m1: .*rights.*no namespace x$/);
  });

  it('that the members are not known is told, unless they are merely not read yet', () => {
    const { snapshot } = instanceWith(['m1'], UNKNOWN);
    expect(estimators(snapshot)).toMatchObject({ status: 'Unknown', reason: 'MembersUnknown' });
    const before = statusFor(instanceWith(['m1'], known(['m1'])).snapshot);
    const reading = { ...snapshot, members: { ...UNKNOWN, state: 'reading' as const } };
    expect(estimators(reading, before)).toMatchObject({ status: 'True', reason: 'Available' });
    expect(estimators(reading)).toMatchObject({ status: 'Unknown' });
  });

  it('their going is no reason to say that the instance is not ready', () => {
    const { snapshot } = instanceWith(['m1'], known([]));
    expect(ofKind(pass(snapshot).plan.actions, 'remove')).not.toEqual([]);
    expect(conditionIn(statusFor(snapshot), 'Ready')).toMatchObject({ status: 'True' });
  });
});

it('an estimator is written when there is an access, and not again', () => {
  const { snapshot } = instanceWith([], known(['m1']));
  const host = { ...snapshot.host, objects: [...snapshot.host.objects, secretOf('m1')] };
  const { wish, plan } = pass({ ...snapshot, host });
  const applied = ofKind(plan.actions, 'apply').filter(
    ({ target: { step } }) => step === 'karmada-scheduler-estimator',
  );
  expect(applied.map(({ target: { object } }) => object.kind)).toEqual(['Service', 'Deployment']);
  const there = wish.objects.filter(({ step }) => step === 'karmada-scheduler-estimator').map(live);
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
    ['none while the members are not known', UNKNOWN, [secretOf('m1')], []],
    ['none without members and Secrets', known([]), [], []],
    [
      'access for a member, from its credentials',
      known(['m1'], { credentials }),
      [],
      [[['m1 v1'], []]],
    ],
    ['no access any more', known([]), [secretOf('m1')], [[[], [secretOf('m1').metadata.name]]]],
    ['nothing where repair is paused', known(['m1']), [paused('m1'), paused('m2')], [[[], []]]],
  ])('%s', (_, members, secrets, expected) => {
    expect(named(withSecrets(members, secrets))).toEqual(expected);
  });
});
