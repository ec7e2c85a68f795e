import { describe, expect, it } from '@jest/globals';
import type { Condition, KarmadaStatus } from '../../api/karmada.ts';
import type { Step } from '../../components/component.ts';
import { karmadaOf, NOW, pod, snapshotOf, VIEW, wishOf } from '../__fixtures__/instance.ts';
import type { ActOutcome } from '../outcome.ts';
import { assess, withUnanswered, type AssessInput } from './assessment.ts';
import { transitions } from './conditions.ts';
import { planInstance } from '../plan.ts';
import type { Snapshot } from '../snapshot.ts';
import { statusOf } from './status.ts';
import { refusedStatus, suspendedStatus } from './status-idle.ts';
import { stepStates } from '../steps.ts';

const ALL: readonly Step[] = [...wishOf().steps];
const NOTHING: ActOutcome = { live: new Map(), problems: [], errors: [], writes: 0 };

function statusFor(
  snapshot: Snapshot,
  more: Partial<AssessInput> = {},
  before: KarmadaStatus = {},
): KarmadaStatus {
  const wish = more.desired ?? wishOf();
  const states = stepStates(wish, snapshot);
  const plan = planInstance({ snapshot, desired: wish, states, holds: [] }, VIEW);
  const assessment = assess({
    snapshot,
    desired: wish,
    view: VIEW,
    plan,
    outcome: NOTHING,
    certificateProblem: undefined,
    ...more,
  });
  return statusOf(assessment, before);
}

function conditionIn(status: KarmadaStatus, type: string): Partial<Condition> {
  return status.conditions?.find((condition) => condition.type === type) ?? {};
}

const running = snapshotOf(wishOf(), ALL);
const RUNNING: Snapshot = {
  ...running,
  host: { ...running.host, pods: [pod('etcd'), pod('karmada-controller-manager')] },
  controlPlane: { ...running.controlPlane, kubernetesVersion: 'v1.35.4' },
};

describe('6. Ready', () => {
  it('is not True while nobody outside has an address to reach it by', () => {
    const spec = {
      components: {
        karmadaAPIServer: { serviceType: 'LoadBalancer' as const, loadBalancerClass: 'a.b/c' },
      },
    };
    const wish = wishOf(spec);
    const snapshot = snapshotOf(wish, ALL, { karmada: karmadaOf(spec) });
    const view = { ...VIEW, addressAwaited: true };
    const status = statusFor(snapshot, { desired: wish, view });
    expect(conditionIn(status, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Progressing',
      message: expect.stringContaining(
        'Service team/karmada-demo-apiserver waits for an address from the load balancer of class a.b/c',
      ),
    });
  });

  it('is not True, but Progressing, while a complete control plane does not answer', () => {
    const wish = wishOf();
    const states = stepStates(wish, RUNNING);
    const complete = assess({
      snapshot: RUNNING,
      desired: wish,
      view: VIEW,
      plan: planInstance({ snapshot: RUNNING, desired: wish, states, holds: [] }, VIEW),
      outcome: NOTHING,
      certificateProblem: undefined,
    });
    const status = statusOf(withUnanswered(complete, ['karmada-webhook is not asked yet']), {});
    const reason = { reason: 'Progressing', message: 'karmada-webhook is not asked yet' };
    expect(conditionIn(status, 'Ready')).toMatchObject({ status: 'False', ...reason });
    expect(conditionIn(status, 'Progressing')).toMatchObject({ status: 'True', ...reason });
    expect(conditionIn(status, 'WebhookReady').status).toBe('True');
    expect(status.phase).not.toBe('Running');
  });

  it('is True when everything is complete, for the generation that was seen', () => {
    const status = statusFor(RUNNING);
    expect(conditionIn(status, 'Ready')).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'Completed',
      message: 'all components run as the spec asks for',
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

  it('comes with the versions although the pods are not yet seen to be ready', () => {
    const behind = { ...RUNNING, host: { ...RUNNING.host, pods: [] } };
    const versions = { karmada: 'v1.17.1', kubernetes: 'v1.35.4', etcd: '3.6.6' };
    expect(statusFor(behind)).toMatchObject({ phase: 'Running', versions });
    const objects = RUNNING.host.objects.map((object) =>
      object.kind === 'Deployment' ? { ...object, status: {} } : object,
    );
    const unready = { ...behind, host: { ...behind.host, objects } };
    expect(statusFor(unready).versions).not.toHaveProperty('karmada');
  });

  it.each(ALL)('is never True while %s is missing', (step) => {
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
    ['a pod is of the old revision', { updatedReplicas: 0 }],
    ['an old pod is still there', { replicas: 2 }],
    ['a pod is not available', { availableReplicas: 0 }],
  ])('is never True while of any workload %s', (_, status) => {
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

  it('is False with the remedy when an image cannot be pulled', () => {
    const waiting = { reason: 'ImagePullBackOff' };
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
      'Pod team/webhook-1: container karmada-webhook: its image registry.example.com/x:1 cannot be pulled';
    expect(conditionIn(status, 'Ready')).toMatchObject({ reason: 'Failed' });
    expect(conditionIn(status, 'Ready').message).toContain(said);
    expect(conditionIn(status, 'WebhookReady')).toMatchObject({ reason: 'ImagePullFailed' });
    expect(conditionIn(status, 'Degraded')).toMatchObject({ status: 'True' });
    expect(status.phase).toBe('Failed');
  });

  it('tells a quota by name', () => {
    const conditions = [
      { type: 'ReplicaFailure', status: 'True', message: 'exceeded quota: pods, used: 4' },
    ];
    const objects = RUNNING.host.objects.map((object) =>
      object.kind === 'Deployment' && object.metadata.name === 'karmada-demo-scheduler'
        ? { ...object, status: { observedGeneration: 1, conditions } }
        : object,
    );
    const status = statusFor({ ...RUNNING, host: { ...RUNNING.host, objects } });
    expect(conditionIn(status, 'SchedulerReady')).toMatchObject({ reason: 'QuotaExceeded' });
    expect(conditionIn(status, 'Ready').message).toContain('exceeded quota: pods');
  });

  it('is False with the object when it was refused', () => {
    const message = 'Service team/karmada-demo-webhook exists and was not made by this operator';
    const outcome: ActOutcome = {
      ...NOTHING,
      problems: [{ step: 'karmada-webhook', reason: 'Conflict', message }],
    };
    expect(conditionIn(statusFor(RUNNING, { outcome }), 'Ready')).toMatchObject({
      status: 'False',
      message,
    });
  });
});

describe('6. conditions', () => {
  it('keep their time while their status stays, and say why a certificate is held', () => {
    const certificateProblem = { reason: 'SignsOfLife', message: 'restore the Secret' };
    const first = statusFor(RUNNING);
    const later = { ...RUNNING, now: NOW + 60_000 };
    const second = statusFor(later, { certificateProblem }, first);
    expect(conditionIn(second, 'Ready').lastTransitionTime).toBe('2026-01-01T00:01:00Z');
    expect(conditionIn(second, 'EtcdReady').lastTransitionTime).toBe('2026-01-01T00:00:00Z');
    expect(conditionIn(second, 'CertificatesValid')).toMatchObject(certificateProblem);
    expect(transitions(first.conditions ?? [], second.conditions ?? [])).toEqual([
      { type: 'Warning', reason: 'Failed', note: 'restore the Secret' },
      { type: 'Warning', reason: 'SignsOfLife', note: 'restore the Secret' },
      { type: 'Warning', reason: 'SignsOfLife', note: 'restore the Secret' },
    ]);
  });

  it('are told as Events once, at their transition', () => {
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
    const told = transitions(start.conditions ?? [], done.conditions ?? []);
    expect(told.map(({ reason }) => reason)).toEqual([
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
    expect(transitions(done.conditions ?? [], done.conditions ?? [])).toEqual([]);
  });

  it('stay as they were in a suspended or refused instance, but for what is said of it', () => {
    const before = statusFor(RUNNING);
    const suspended = suspendedStatus(karmadaOf(), before, NOW);
    expect(suspended.phase).toBe('Suspended');
    expect(conditionIn(suspended, 'Suspended').status).toBe('True');
    expect(conditionIn(suspended, 'Ready')).toEqual(conditionIn(before, 'Ready'));
    const refused = refusedStatus(
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
