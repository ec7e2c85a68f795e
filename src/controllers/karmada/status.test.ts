import { describe, expect, it } from '@jest/globals';
import { ofKind, type Remove } from '../../actions/action.ts';
import type { Condition, KarmadaStatus } from '../../api/karmada.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { Step } from '../../components/component.ts';
import { answerOf, listOf, podOf, silenceOf, soundView } from '../../etcd/__fixtures__/answers.ts';
import type { EtcdResult } from '../../etcd/member-status.ts';
import { etcdView } from '../../etcd/view.ts';
import {
  karmadaOf,
  NOW,
  pod,
  snapshotOf,
  VIEW,
  wishOf,
} from '../../instance/__fixtures__/instance.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import { FailedWebhookError } from '../../control-plane-access/failed-webhook.ts';
import type { Assessment } from '../../actions/assessment.ts';
import { withFailedReadiness } from '../../assessment/assessment.ts';
import { assess, type AssessInput } from './assess.ts';
import { transitions } from '../../conditions/conditions.ts';
import { membershipOf } from '../../etcd-cluster/pods/membership.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import { planInstance } from '../../features/components/plan.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { statusOf } from './status.ts';
import { rejectedStatus, suspendedStatus } from '../../features/status/unreconciled-status.ts';
import { stepStates } from '../../features/components/steps.ts';

const ALL: readonly Step[] = [...wishOf().steps];
const NOTHING: ExecutionResult = {
  live: new Map(),
  problems: [],
  errors: [],
  blockedChanges: [],
  writes: 0,
};

function statusFor(
  snapshot: Snapshot,
  more: Partial<AssessInput> = {},
  before: KarmadaStatus = {},
  progress?: Assessment['progress'],
): KarmadaStatus {
  const desiredState = more.desired ?? wishOf();
  const states = stepStates(desiredState, snapshot);
  const plan = planInstance({ snapshot, desired: desiredState, states, blockedChanges: [] }, VIEW);
  const assessment = assess({
    snapshot,
    desired: desiredState,
    view: VIEW,
    plan,
    outcome: NOTHING,
    certificateProblem: undefined,
    ...more,
  });
  return statusOf({ ...assessment, ...(progress && { progress }) }, before);
}

function conditionIn(status: KarmadaStatus, type: string): Partial<Condition> {
  return status.conditions?.find((condition) => condition.type === type) ?? {};
}

const running = snapshotOf(wishOf(), ALL);
const RUNNING: Snapshot = {
  ...running,
  host: { ...running.host, pods: [pod('etcd'), pod('karmada-controller-manager')] },
  controlPlane: { ...running.controlPlane, kubernetesVersion: 'v1.35.4' },
  etcd: soundView(['etcd-0']),
};

/** The running control plane with other annotations and status of one Deployment. */
function withAnnotations(
  suffix: string,
  more: Readonly<Record<string, string>>,
  status: object = {},
): Snapshot {
  const objects = RUNNING.host.objects.map((object) => {
    if (object.kind !== 'Deployment' || !object.metadata.name.endsWith(suffix)) return object;
    const annotations = { ...object.metadata.annotations, ...more };
    const metadata = { ...object.metadata, annotations };
    return { ...object, metadata, status: { ...(object['status'] as object), ...status } };
  });
  return { ...RUNNING, host: { ...RUNNING.host, objects } };
}

/** What keeps a control plane from being ready. */
interface Causes {
  readonly problem?: Problem;
  readonly unobserved?: Problem;
  readonly blocked?: BlockedChange;
}

const warning = (reason: string, message: string): Condition => ({
  type: 'Warning',
  status: 'True',
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('Ready', () => {
  it('is False while the Service of the API server has no external address', () => {
    const spec = {
      components: {
        karmadaAPIServer: { serviceType: 'LoadBalancer' as const, loadBalancerClass: 'a.b/c' },
      },
    };
    const desiredState = wishOf(spec);
    const snapshot = snapshotOf(desiredState, ALL, { karmada: karmadaOf(spec) });
    const view = { ...VIEW, addressAwaited: true };
    const status = statusFor(snapshot, { desired: desiredState, view });
    expect(conditionIn(status, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Progressing',
      message: expect.stringContaining(
        'Service team/karmada-demo-apiserver: waiting for an address from the load balancer of class a.b/c',
      ),
    });
  });

  it('is Unknown with the failed call and what to check when the cache of the control plane is stale', () => {
    const unobserved = {
      reason: 'ControlPlaneNotObserved',
      message: 'watch roles: no; check it',
    } as const;
    const { message } = unobserved;
    const controlPlane = { state: 'syncing', message, objects: [], unobserved } as const;
    const running = statusFor(RUNNING);
    const status = statusFor({ ...RUNNING, controlPlane }, {}, running);
    expect(conditionIn(status, 'Ready')).toMatchObject({ status: 'Unknown', ...unobserved });
    expect(conditionIn(status, 'Progressing')).toMatchObject({ status: 'False', ...unobserved });
    expect(conditionIn(status, 'Degraded')).toMatchObject({ status: 'False' });
    expect(status.phase).toBe('Degraded');
    expect(statusFor(RUNNING, {}, status)).toEqual(running);
  });

  it('names a suspected cause of a component instead of its number of Pods', () => {
    const { host } = withAnnotations('-webhook', {}, { availableReplicas: 0 });
    const container = {
      name: 'karmada-webhook',
      ready: false,
      restartCount: 0,
      state: { running: { startedAt: '2025-12-31T00:00:00Z' } },
    };
    const slow = { ...pod('karmada-webhook'), status: { containerStatuses: [container] } };
    const status = statusFor({ ...RUNNING, host: { ...host, pods: [...host.pods, slow] } });
    const { message } = conditionIn(status, 'WebhookReady');
    expect(message).toMatch(/container karmada-webhook runs, but is not ready; read its log/);
    expect(conditionIn(status, 'Ready')).toMatchObject({ reason: 'Progressing', message });
    expect(conditionIn(status, 'Degraded')).toMatchObject({ status: 'False' });
  });

  it('reports what a recovery of etcd waits for instead of the members that are not ready', () => {
    const message = 'etcd: the recovery waits: the former StatefulSet is deleted';
    const blockedChange = { step: 'etcd', reason: 'EtcdRecovering', message } as const;
    const reason = 'Unschedulable';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason, message: 'no node' }];
    const waiting = { ...pod('etcd'), status: { conditions } };
    const snapshot = { ...RUNNING, host: { ...RUNNING.host, pods: [waiting] } };
    const more = { plan: { actions: [], blockedChanges: [blockedChange] } };
    expect(conditionIn(statusFor(snapshot, more), 'Degraded')).toMatchObject({ reason });
    const recovery = { phase: 'switching', from: 'etcd-0/1/2' } as const;
    const etcdBootstrap = { ...RUNNING.etcdBootstrap, recovery } as NonNullable<
      Snapshot['etcdBootstrap']
    >;
    const status = statusFor({ ...snapshot, etcdBootstrap }, more);
    expect(conditionIn(status, 'Ready')).toMatchObject({ status: 'False', message });
  });

  it.each([
    [false, { Progressing: 'True', Degraded: 'False', Stalled: undefined }, 'Updating'],
    [true, { Progressing: 'False', Degraded: 'False', Stalled: 'True' }, 'Blocked'],
  ])('reports a recovery of etcd as stalled when it is overdue: %s', (isOverdue, said, phase) => {
    const message = 'etcd: the recovery waits: Pod x restores the data';
    const blockedChange = { step: 'etcd', reason: 'EtcdRecovering', message } as const;
    const recovery = { phase: 'restoring', from: 'etcd-0/1/2' } as const;
    const etcdBootstrap = { ...RUNNING.etcdBootstrap, recovery } as NonNullable<
      Snapshot['etcdBootstrap']
    >;
    const more = { plan: { actions: [], blockedChanges: [blockedChange] } };
    const progress = { lastAt: NOW, isOverdue };
    const before = { secretRef: { name: 'a' } };
    const status = statusFor({ ...RUNNING, etcdBootstrap }, more, before, progress);
    for (const [type, value] of Object.entries(said))
      expect([type, conditionIn(status, type).status]).toEqual([type, value]);
    expect(status.phase).toBe(phase);
  });

  it('does not count a component without Pods as available while etcd is recovered', () => {
    const from = { 'operator.karmada.io/etcd-recovery': 'etcd-0/1/2' };
    const none = { replicas: 0, updatedReplicas: 0, availableReplicas: 0 };
    const status = statusFor(withAnnotations('-aggregated-apiserver', from, none));
    expect(conditionIn(status, 'AggregatedAPIServerReady')).toMatchObject({
      status: 'False',
      reason: 'EtcdRecovering',
      message: 'the operator has stopped it, and starts it again when the data of etcd is replaced',
    });
    expect(conditionIn(status, 'APIServerReady')).toMatchObject({ status: 'True' });
  });

  const unobserved = { reason: 'ControlPlaneNotObserved', message: 'watch roles: no' } as const;
  const problem = { reason: 'ExistingDataFound', message: 'restore the Secret' } as const;
  const blocked = { step: 'etcd', reason: 'EtcdStorageBlocked', message: 'set it back' } as const;
  const isUnknown = { status: 'Unknown', ...unobserved };
  const isFailed = { status: 'False', reason: 'Failed', message: 'restore the Secret' };
  const isBlocked = { status: 'False', reason: 'ChangeBlocked', message: 'set it back' };

  it.each<[string, Causes, object, readonly [string, string]]>([
    ['a problem', { problem }, isFailed, ['Degraded', 'Failed']],
    ['a stale cache', { unobserved }, isUnknown, ['Degraded', 'Installing']],
    ['a blocked change', { blocked }, isBlocked, ['Blocked', 'Blocked']],
    ['a problem and a stale cache', { problem, unobserved }, isFailed, ['Degraded', 'Failed']],
    ['a problem and a blocked change', { problem, blocked }, isFailed, ['Degraded', 'Failed']],
    [
      'a stale cache and a blocked change',
      { unobserved, blocked },
      isUnknown,
      ['Degraded', 'Installing'],
    ],
    ['all of them', { problem, unobserved, blocked }, isFailed, ['Degraded', 'Failed']],
  ])('reports the first cause with its phase for %s', (_, causes, ready, [installed, fresh]) => {
    const { message = '' } = causes.unobserved ?? {};
    const stale = { state: 'syncing', message, objects: [], unobserved } as const;
    const snapshot = causes.unobserved ? { ...RUNNING, controlPlane: stale } : RUNNING;
    const blockedChanges = causes.blocked ? [causes.blocked] : [];
    const more = { plan: { actions: [], blockedChanges }, certificateProblem: causes.problem };
    const before = { secretRef: { name: 'a', namespace: 'b' } };
    const status = statusFor(snapshot, more, before);
    expect(conditionIn(status, 'Ready')).toMatchObject(ready);
    expect([status.phase, statusFor(snapshot, more).phase]).toEqual([installed, fresh]);
  });

  it('is False with the reason Progressing while a readiness check of a complete control plane fails', () => {
    const desiredState = wishOf();
    const states = stepStates(desiredState, RUNNING);
    const complete = assess({
      snapshot: RUNNING,
      desired: desiredState,
      view: VIEW,
      plan: planInstance(
        { snapshot: RUNNING, desired: desiredState, states, blockedChanges: [] },
        VIEW,
      ),
      outcome: NOTHING,
      certificateProblem: undefined,
    });
    const status = statusOf(
      withFailedReadiness(complete, { sentences: ['karmada-webhook is not asked yet'] }),
      {},
    );
    const reason = { reason: 'Progressing', message: 'karmada-webhook is not asked yet' } as const;
    expect(conditionIn(status, 'Ready')).toMatchObject({ status: 'False', ...reason });
    expect(conditionIn(status, 'Progressing')).toMatchObject({ status: 'True', ...reason });
    expect(conditionIn(status, 'WebhookReady').status).toBe('True');
    expect(status.phase).not.toBe('Running');
  });

  it('is False with the reason Failed, and the control plane Degraded, while a webhook of the user fails', () => {
    const named = {
      reason: 'UserWebhookFails',
      message: 'dead.example.com; start its server',
    } as const;
    const answer = new ApiError({ request: 'x', code: 500, reason: 'InternalError', message: 'x' });
    const errors = [new Error('other'), new FailedWebhookError(answer, named)];
    const status = statusFor(RUNNING, { outcome: { ...NOTHING, errors } });
    expect(conditionIn(status, 'Ready')).toMatchObject({
      reason: 'Failed',
      message: named.message,
    });
    expect(conditionIn(status, 'Degraded')).toMatchObject({ status: 'True', ...named });
    expect(conditionIn(status, 'Progressing')).toMatchObject({ status: 'False', ...named });
    expect(status.conditions?.some(({ type }) => type === 'Stalled')).toBe(false);
  });

  it('is True with the observed generation when all steps are complete', () => {
    const status = statusFor(RUNNING);
    expect(conditionIn(status, 'Ready')).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'Completed',
      message: 'all components are ready and match the spec',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 2,
    });
    expect(status).toMatchObject({
      phase: 'Running',
      observedGeneration: 2,
      secretRef: { name: 'karmada-demo-admin-config', namespace: 'team' },
      apiServerService: { name: 'karmada-demo-apiserver' },
      versions: { karmada: 'v1.17.1', kubernetes: 'v1.35.4', etcd: '1.17.1' },
      kubernetesVersion: 'v1.35.4',
      etcd: '1/1',
      certificateExpiry: '2026-01-02T00:00:00Z',
    });
  });

  it('stays True while an object is deleted for which nothing waits, and is False while another one is', () => {
    const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'former' } };
    const removal = { kind: 'remove', cluster: 'controlPlane', object } as const;
    const readyWith = (action: Remove): Partial<Condition> =>
      conditionIn(statusFor(RUNNING, { plan: { actions: [action], blockedChanges: [] } }), 'Ready');
    expect(readyWith({ ...removal, isUnawaited: true }).status).toBe('True');
    expect(readyWith(removal).message).toBe('Service former is being deleted');
  });

  it('is reported with the versions of the workloads when the Pods are not yet observed as ready', () => {
    const behind = { ...RUNNING, host: { ...RUNNING.host, pods: [] } };
    const versions = { karmada: 'v1.18.2', kubernetes: 'v1.35.4', etcd: '3.6.14' };
    expect(statusFor(behind)).toMatchObject({ phase: 'Running', versions });
    const objects = RUNNING.host.objects.map((object) =>
      object.kind === 'Deployment' ? { ...object, status: {} } : object,
    );
    const unready = { ...behind, host: { ...behind.host, objects } };
    expect(statusFor(unready).versions).not.toHaveProperty('karmada');
  });

  it.each(ALL)('is False while the step %s is missing', (step) => {
    const missing = snapshotOf(
      wishOf(),
      ALL.filter((other) => other !== step),
    );
    expect(conditionIn(statusFor(missing), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Progressing',
    });
  });

  it.each<[string, object]>([
    ['its controller has not seen the change', { observedGeneration: 0 }],
    ['a Pod has the old revision', { updatedReplicas: 0 }],
    ['an old Pod still exists', { replicas: 2 }],
    ['a Pod is not available', { availableReplicas: 0 }],
  ])('is False when, for any workload, %s', (_, status) => {
    for (const name of ['-webhook', '-etcd', '-apiserver', '-scheduler']) {
      const objects = RUNNING.host.objects.map((object) =>
        'status' in object && object.metadata.name === `karmada-demo${name}`
          ? {
              ...object,
              status: { ...(object['status'] as object), currentRevision: 'r0', ...status },
            }
          : object,
      );
      const snapshot = { ...RUNNING, host: { ...RUNNING.host, objects } };
      expect(conditionIn(statusFor(snapshot), 'Ready').status).toBe('False');
    }
  });

  it.each<[string, Snapshot, string, readonly [string, string]]>([
    [
      'the steps that a component waits for, and only the cause in Ready',
      snapshotOf(wishOf(), ['etcd', 'rbac', 'namespaces', 'crds']),
      'WebhookReady',
      [
        'karmada-webhook waits for karmada-apiserver',
        'Service team/karmada-demo-apiserver: not created yet',
      ],
    ],
    [
      'why the API server is not created yet',
      {
        ...snapshotOf(wishOf(), ['etcd', 'health']),
        etcd: soundView(['etcd-0']),
        etcdBootstrap: { membership: membershipOf(1, 'new'), awaited: 'the etcd Pods' },
      },
      'APIServerReady',
      ['karmada-apiserver waits for the etcd Pods', 'karmada-apiserver waits for the etcd Pods'],
    ],
    [
      'why an outdated object is not changed',
      withAnnotations('-webhook', { [APPLIED_HASH]: 'other', [PAUSE_REPAIR]: 'true' }),
      'WebhookReady',
      [
        `Deployment team/karmada-demo-webhook: update blocked by its annotation ${PAUSE_REPAIR}=true; remove the annotation`,
        `Deployment team/karmada-demo-webhook: update blocked by its annotation ${PAUSE_REPAIR}=true; remove the annotation`,
      ],
    ],
    [
      'the Pods of a paused object that is not outdated',
      withAnnotations('-webhook', { [PAUSE_REPAIR]: 'true' }, { availableReplicas: 0 }),
      'WebhookReady',
      [
        'Deployment team/karmada-demo-webhook: 0 of 1 Pods available',
        'Deployment team/karmada-demo-webhook: 0 of 1 Pods available',
      ],
    ],
  ])('names %s', (_, snapshot, type, [component, ready]) => {
    const status = statusFor(snapshot);
    expect(conditionIn(status, type)).toMatchObject({ status: 'False', message: component });
    expect(conditionIn(status, 'Ready').message).toContain(ready);
    const effect = component === ready ? 'nothing else' : component;
    expect(conditionIn(status, 'Ready').message).not.toContain(effect);
  });

  it('is False with the action to take when an image cannot be pulled', () => {
    const waiting = { reason: 'ImagePullBackOff' } as const;
    const sick = {
      ...pod('karmada-webhook', { name: 'webhook-1', ready: false }),
      status: {
        containerStatuses: [
          { name: 'karmada-webhook', image: 'registry.example.com/x:1', state: { waiting } },
        ],
      },
    };
    const without = ALL.filter((step) => step !== 'karmada-webhook');
    const snapshot = snapshotOf(wishOf(), without);
    const status = statusFor({ ...snapshot, host: { ...snapshot.host, pods: [sick] } });
    const said =
      'Pod team/webhook-1: container karmada-webhook: image registry.example.com/x:1 cannot be pulled';
    expect(conditionIn(status, 'Ready')).toMatchObject({ reason: 'Failed' });
    expect(conditionIn(status, 'Ready').message).toContain(said);
    expect(conditionIn(status, 'WebhookReady')).toMatchObject({ reason: 'ImagePullFailed' });
    expect(conditionIn(status, 'Degraded')).toMatchObject({ status: 'True' });
    expect(status.phase).toBe('Failed');
  });

  it('names the ResourceQuota when it rejects the Pods of a component', () => {
    const conditions = [
      {
        type: 'ReplicaFailure',
        status: 'True',
        message:
          'pods "x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=4, limited: pods=4',
      },
    ];
    const objects = RUNNING.host.objects.map((object) =>
      object.kind === 'Deployment' && object.metadata.name === 'karmada-demo-scheduler'
        ? { ...object, status: { observedGeneration: 1, conditions } }
        : object,
    );
    const status = statusFor({ ...RUNNING, host: { ...RUNNING.host, objects } });
    expect(conditionIn(status, 'SchedulerReady')).toMatchObject({ reason: 'QuotaExceeded' });
    expect(conditionIn(status, 'Ready').message).toContain('ResourceQuota small is exceeded');
  });

  it('is False with the name of the object when the API server rejects it', () => {
    const message =
      'Service team/karmada-demo-webhook: exists, but was not created by this operator';
    const outcome: ExecutionResult = {
      ...NOTHING,
      problems: [{ step: 'karmada-webhook', reason: 'Conflict', message }],
    };
    expect(conditionIn(statusFor(RUNNING, { outcome }), 'Ready')).toMatchObject({
      status: 'False',
      message,
    });
  });

  it('is False with the loss of data also when an object is rejected', () => {
    const problem = { reason: 'DataLost', message: 'no member has its data' } as const;
    const etcdBootstrap = { ...RUNNING.etcdBootstrap, problem } as NonNullable<
      Snapshot['etcdBootstrap']
    >;
    const rejected = { step: 'karmada-webhook', reason: 'Conflict', message: 'exists' } as const;
    const outcome: ExecutionResult = { ...NOTHING, problems: [rejected] };
    const ready = conditionIn(statusFor({ ...RUNNING, etcdBootstrap }, { outcome }), 'Ready');
    expect(ready.message).toContain(problem.message);
  });
});

describe('statusOf', () => {
  it('keeps the time of the last progress while only a user can end the state', () => {
    const conflict = { step: 'karmada-webhook', reason: 'Conflict', message: 'exists' } as const;
    const missing = snapshotOf(wishOf(), ALL.slice(1));
    const before = { lastProgressTime: '2025-12-31T23:00:00Z' };
    const timeWith = (problems: ExecutionResult['problems']): string | undefined =>
      statusFor(missing, { outcome: { ...NOTHING, problems } }, before, {
        lastAt: NOW,
        isOverdue: false,
      }).lastProgressTime;
    expect([timeWith([]), timeWith([conflict])]).toEqual([
      '2026-01-01T00:00:00Z',
      '2025-12-31T23:00:00Z',
    ]);
  });

  it('keeps transition times while the status of a condition stays, and reports why issuance is blocked', () => {
    const certificateProblem = {
      reason: 'ExistingDataFound',
      message: 'restore the Secret',
    } as const;
    const first = statusFor(RUNNING);
    const later = { ...RUNNING, now: NOW + 60_000 };
    const second = statusFor(later, { certificateProblem }, first);
    expect(conditionIn(second, 'Ready').lastTransitionTime).toBe('2026-01-01T00:01:00Z');
    expect(conditionIn(second, 'EtcdReady').lastTransitionTime).toBe('2026-01-01T00:00:00Z');
    expect(conditionIn(second, 'CertificatesValid')).toMatchObject(certificateProblem);
    expect(transitions(first.conditions ?? [], second.conditions ?? [])).toEqual([
      { type: 'Warning', reason: 'Failed', note: 'restore the Secret' },
      { type: 'Warning', reason: 'ExistingDataFound', note: 'restore the Secret', fault: 'user' },
      { type: 'Warning', reason: 'ExistingDataFound', note: 'restore the Secret', fault: 'user' },
    ]);
  });

  it('counts the ready components of those that the spec enables', () => {
    expect(statusFor(RUNNING).componentsReady).toBe('8/8');
    const waiting = snapshotOf(wishOf(), []);
    expect(statusFor(waiting).componentsReady).toMatch(/^\d\/8$/);
  });

  it('returns an Event for each warning with a new reason', () => {
    const before = [warning('A', 'no volume')];
    const after = [warning('B,A,C', 'B: apply: it\nA: no volume\nC: c')];
    expect(transitions(before, after)).toEqual([
      { type: 'Warning', reason: 'B', note: 'apply: it' },
      { type: 'Warning', reason: 'C', note: 'c' },
    ]);
    expect(transitions(after, before)).toEqual([]);
  });

  it('returns an Event when a new warning precedes the present ones', () => {
    const before = [warning('EphemeralEtcd', 'no volume')];
    const after = [warning('HostRightsMissing', 'apply the role; no volume')];
    expect(transitions(before, after)).toEqual([
      {
        type: 'Warning',
        reason: 'HostRightsMissing',
        fault: 'user',
        note: 'apply the role; no volume',
      },
    ]);
    expect(transitions(before, before)).toEqual([]);
  });

  it('returns each Event once, at the transition of its condition', () => {
    const empty = snapshotOf(wishOf(), [], {
      controlPlane: { state: 'waiting', message: 'not yet', objects: [] },
    });
    const start = statusFor(empty);
    expect(transitions([], start.conditions ?? []).map(({ reason }) => reason)).toEqual(
      ['Valid', 'EphemeralEtcd'].filter((reason) =>
        start.conditions?.some((condition) => condition.reason === reason),
      ),
    );
    const done = statusFor(RUNNING, {}, start);
    const reported = transitions(start.conditions ?? [], done.conditions ?? []);
    expect(reported.map(({ reason }) => reason)).toEqual([
      'Completed',
      'Quorum',
      'EtcdReady',
      'APIServerReady',
      'AggregatedAPIServerReady',
      'MetricsAdapterReady',
      'WebhookReady',
      'KubeControllerManagerReady',
      'ControllerManagerReady',
      'SchedulerReady',
    ]);
    const summaries = reported.filter(({ isDetail = false }) => !isDetail);
    expect(summaries.map(({ reason }) => reason)).toEqual(['Completed', 'Quorum']);
    expect(transitions(done.conditions ?? [], done.conditions ?? [])).toEqual([]);
  });

  it('keeps the other conditions when the Karmada is suspended or rejected', () => {
    const before = statusFor(RUNNING);
    const suspended = suspendedStatus(karmadaOf(), before, NOW);
    expect(suspended.phase).toBe('Suspended');
    expect(conditionIn(suspended, 'Suspended').status).toBe('True');
    expect(conditionIn(suspended, 'Ready')).toEqual(conditionIn(before, 'Ready'));
    const refused = rejectedStatus(
      karmadaOf(),
      { reason: 'NameCollision', message: 'other' },
      { before, now: NOW, phase: 'Failed' },
    );
    expect(conditionIn(refused, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'NameCollision',
    });
    expect(conditionIn(refused, 'EtcdReady')).toEqual(conditionIn(before, 'EtcdReady'));
    expect(conditionIn(statusFor(RUNNING, {}, suspended), 'Suspended')).toEqual({});
  });
});

describe('EtcdHealthy', () => {
  const PODS = ['etcd-0', 'etcd-1', 'etcd-2'];
  const spec = { components: { etcd: { local: { replicas: 3 } } } };
  const desiredState = wishOf(spec);
  const seen = (results: readonly EtcdResult[], ready: readonly string[] = PODS): Snapshot => {
    const snapshot = snapshotOf(desiredState, ALL, { karmada: karmadaOf(spec) });
    const pods = PODS.map((name) => pod('etcd', { name, ready: ready.includes(name) }));
    const etcd = etcdView(results, PODS.map(podOf), NOW);
    return { ...snapshot, host: { ...snapshot.host, pods }, etcd };
  };
  const three = PODS.map((name) => answerOf(name, PODS));
  const split = [
    answerOf('etcd-0', ['etcd-0'], { cluster: 'b' }),
    ...['etcd-1', 'etcd-2'].map((name) => answerOf(name, ['etcd-1', 'etcd-2'])),
  ];

  it.each<[string, Snapshot, object, readonly [string, string]]>([
    [
      'is True while all members are healthy',
      seen(three),
      { status: 'True', reason: 'Quorum', message: '3 of 3 members are healthy' },
      ['3/3', 'True'],
    ],
    [
      'is True while two of three members are healthy and the Pod of the third is not ready',
      seen([...three.slice(0, 2), silenceOf('etcd-2')], ['etcd-0', 'etcd-1']),
      { status: 'True', reason: 'Quorum', message: '2 of 3 members are healthy' },
      ['2/3', 'True'],
    ],
    [
      'is False while Ready stays True when the member of a ready Pod is not healthy',
      seen([...three.slice(0, 2), answerOf('etcd-2', PODS, { errors: ['alarm:CORRUPT'] })]),
      {
        status: 'False',
        reason: 'MemberNotServing',
        message: '2 of 3 members are healthy; etcd-2 reports corrupt data',
      },
      ['2/3', 'True'],
    ],
    [
      'is False while Ready stays True when etcd has no space',
      seen(
        three.map((answer) => ({
          ...answer,
          alarms: [{ memberId: answer.leaderId, alarm: 'NOSPACE' as const }],
        })),
      ),
      {
        status: 'False',
        reason: 'EtcdNoSpace',
        message: expect.stringContaining('the database of etcd-0 has reached its quota'),
      },
      ['3/3', 'True'],
    ],
    [
      'is False when the data of a member is corrupt',
      seen(
        three.map((answer) => ({
          ...answer,
          alarms: [
            { memberId: answer.leaderId, alarm: 'NOSPACE' as const },
            { memberId: 'ff', alarm: 'CORRUPT' as const },
          ],
        })),
      ),
      {
        status: 'False',
        reason: 'EtcdCorrupt',
        message: expect.stringContaining('the data of member ff differs'),
      },
      ['3/3', 'True'],
    ],
    [
      'is False together with Ready when members belong to different clusters although all Pods are ready',
      seen(split),
      { status: 'False', reason: 'SplitBrain', message: expect.stringContaining('cluster b') },
      ['0/3', 'False'],
    ],
    [
      'is True while the members of new Pods have not joined a healthy cluster of one member',
      seen([answerOf('etcd-0', ['etcd-0'])], ['etcd-0']),
      { status: 'True', reason: 'Quorum', message: '1 of 1 members are healthy' },
      ['1/3', 'True'],
    ],
    [
      'is Unknown when the only ready Pod has not been queried yet: it may have a quorum',
      seen([], ['etcd-0']),
      { status: 'Unknown', reason: 'Pending' },
      ['1/3', 'False'],
    ],
    [
      'is False when the ready Pods are no quorum',
      seen([answerOf('etcd-0', PODS, { leaderId: '0', confirmed: false })], ['etcd-0']),
      {
        status: 'False',
        reason: 'NoQuorum',
        message: '0 of 3 members are healthy; etcd-0 has no leader',
      },
      ['0/3', 'True'],
    ],
    [
      'is Unknown while Ready stays True when the operator reaches no member and the Pods are ready',
      seen(PODS.map((name) => silenceOf(name))),
      {
        status: 'Unknown',
        reason: 'EtcdUnobserved',
        message: expect.stringMatching(
          /^etcd: the operator cannot query the members \(etcd-0: no connection \(time-out\); .*\); 3 of 3 Pods are ready, .*NetworkPolicies/,
        ),
      },
      ['3/3', 'True'],
    ],
    [
      'is Unknown while Ready is False until the first query of the members',
      seen([]),
      { status: 'Unknown', reason: 'Pending' },
      ['3/3', 'False'],
    ],
  ])('%s', (_, snapshot, expected, [summary, ready]) => {
    const status = statusFor(snapshot, { desired: desiredState });
    expect(conditionIn(status, 'EtcdHealthy')).toMatchObject(expected);
    expect(status.etcd).toBe(summary);
    expect(conditionIn(status, 'Ready').status).toBe(ready);
  });

  const isLearner = { isLearner: true, members: [], confirmed: false };
  const [first, second] = PODS as [string, string];

  it.each<{ title: string; results: readonly EtcdResult[]; ready?: string[]; expected: string }>([
    {
      title: 'a new voter answered as a learner last, and its Pod is not ready',
      results: [answerOf(first, [first, second]), answerOf(second, [first, second], isLearner)],
      expected: '1 of 1',
    },
    {
      title: 'a new voter answered as a learner last, and its Pod is ready',
      results: [answerOf(first, [first, second]), answerOf(second, [first, second], isLearner)],
      ready: [first, second],
      expected: '1 of 1',
    },
    {
      title: 'a ready Pod has a new voter, and the members were queried when it was a learner',
      results: [
        answerOf(first, PODS, {
          members: listOf([first, second]).map((one) => ({
            ...one,
            isLearner: one.name === second,
          })),
        }),
        answerOf(second, PODS, { ...isLearner, podReady: false }),
      ],
      ready: [first, second],
      expected: '1 of 1',
    },
    {
      title: 'a new voter has answered since its Pod became not ready',
      results: [
        answerOf(first, [first, second]),
        answerOf(second, [first, second], { podReady: false }),
      ],
      expected: '2 of 2',
    },
  ])('is True while $title', ({ results, ready = [first], expected }) => {
    const status = statusFor(seen(results, ready), { desired: desiredState });
    expect(conditionIn(status, 'EtcdHealthy')).toMatchObject({
      status: 'True',
      reason: 'Quorum',
      message: `${expected} members are healthy`,
    });
  });

  it.each<{ title: string; answers: readonly EtcdResult[]; replicas: number; kept: boolean }>([
    { title: 'keeps its previous state', answers: three, replicas: 1, kept: true },
    {
      title: 'is False if etcd-0 has no quorum since',
      answers: [
        answerOf(first, PODS, { leaderId: '0', confirmed: false }),
        ...PODS.slice(1).map((name) => ({ ...silenceOf(name), podReady: false })),
      ],
      replicas: 1,
      kept: false,
    },
    { title: 'is False if the members do not change', answers: three, replicas: 3, kept: false },
  ])('$title when the Pods of members that leave end', ({ answers, replicas, kept }) => {
    const before = statusFor(seen(three), { desired: desiredState });
    const snapshot = seen(answers, [first]);
    const { components } = snapshot.spec;
    const etcd = { local: { ...components.etcd.local, replicas } } as typeof components.etcd;
    const changing = { ...snapshot.spec, components: { ...components, etcd } };
    const more = { desired: desiredState };
    const status = statusFor({ ...snapshot, spec: changing }, more, before);
    const { status: state, reason } = conditionIn(status, 'EtcdHealthy');
    expect([state, reason]).toEqual(kept ? ['True', 'Quorum'] : ['False', 'NoQuorum']);
  });

  it('keeps its previous state until the operator has queried restarted Pods', () => {
    const before = statusFor(seen(three), { desired: desiredState });
    const status = statusFor(seen([]), { desired: desiredState }, before);
    expect(conditionIn(status, 'EtcdHealthy')).toEqual(conditionIn(before, 'EtcdHealthy'));
  });

  it('comes with EtcdReady False and Degraded True, and blocks changes of etcd and API servers, when clusters differ', () => {
    const snapshot = seen(split);
    const status = statusFor(snapshot, { desired: desiredState });
    expect(conditionIn(status, 'EtcdReady')).toMatchObject({
      status: 'False',
      reason: 'SplitBrain',
    });
    expect(conditionIn(status, 'Degraded')).toMatchObject({ status: 'True', reason: 'SplitBrain' });
    const next = wishOf({
      components: {
        etcd: { local: { replicas: 3, imageTag: '3.6.7-0' } },
        karmadaAPIServer: { imageTag: 'v1.35.9' },
      },
    });
    const states = stepStates(next, snapshot);
    const plan = planInstance({ snapshot, desired: next, states, blockedChanges: [] }, VIEW);
    const changed = ofKind(plan.actions, 'apply')
      .filter(({ target, cached }) => cached?.metadata.annotations?.[APPLIED_HASH] !== target.hash)
      .map(({ target }) => target.step);
    expect(changed).toEqual([]);
    expect(ofKind(plan.actions, 'apply').map(({ target }) => target.step)).not.toContain('etcd');
    expect(plan.actions.filter(({ kind }) => /[eE]tcd/.test(kind))).toEqual([]);
    expect(plan.blockedChanges).toMatchObject([{ step: 'etcd', reason: 'SplitBrain' }]);
  });
});
