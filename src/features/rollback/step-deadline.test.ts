import { describe, expect, it } from '@jest/globals';
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Step } from '../../components/component.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { ARCHIVE, karmadaOf, NOW, pod, wishOf } from '../../instance/__fixtures__/instance.ts';
import { COMPLETE, type StepState } from '../../components/rollout.ts';
import { failedStep, msUntilDeadline, openStep, type ChangeState } from './step-deadline.ts';

const OPEN: StepState = { state: 'progressing', message: '0 of 1 Pods', serves: true };
const SPEC = { upgrade: { onFailure: 'Rollback', stepDeadline: '1m' } } as const;
const at = (ms: number): string => new Date(ms).toISOString();

interface More extends Partial<Omit<ChangeState, 'snapshot'>> {
  readonly snapshot?: Partial<ChangeState['snapshot']>;
}

function changeOf(open: readonly Step[], more: More = {}): ChangeState {
  const { snapshot, ...others } = more;
  const complete = [...wishOf().steps].map((step) => [step, COMPLETE] as const);
  return {
    states: new Map([...complete, ...open.map((step) => [step, OPEN] as const)]),
    waiting: new Map(),
    rollout: { turn: 'go' },
    ...others,
    snapshot: {
      karmada: karmadaOf(SPEC),
      now: NOW,
      archive: { archive: ARCHIVE },
      host: { objects: [], pods: [], claims: [] },
      controlPlane: { state: 'ready', message: '', objects: [] },
      ...snapshot,
    },
  };
}

const statusAt = (step: string, startedMs: number): KarmadaStatus => ({
  observedGeneration: 2,
  upgrade: { step, phase: 'Progressing', startedAt: at(NOW - startedMs) },
});

/** A Pod that was created and became ready this long ago. */
function podSince(ms: number, ready = true): KubernetesObject {
  const found = pod('karmada-webhook', { ready });
  const conditions = [
    { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: at(NOW - ms) },
  ];
  const metadata = { ...found.metadata, creationTimestamp: at(NOW - ms - 5_000) };
  return { ...found, metadata, status: { conditions } };
}

const paused = { reason: 'RepairPaused', message: 'paused', awaits: [] } as const;
const waits = { reason: 'Progressing', message: 'waits', awaits: ['crds'] } as const;
const unobserved = { reason: 'ControlPlaneNotObserved', message: 'stale' } as const;

describe('openStep', () => {
  it('returns the first incomplete step in upgrade order', () => {
    const change = changeOf(['karmada-scheduler', 'karmada-webhook']);
    expect(openStep(change)).toEqual({ step: 'karmada-webhook', isBlocked: false });
    expect(openStep(changeOf([]))).toBeUndefined();
  });

  it('prefers a step that is not blocked in the same stage', () => {
    const waiting = new Map([['karmada-search', paused] as const]);
    const change = changeOf(['karmada-search', 'karmada-webhook'], { waiting });
    expect(openStep(change)).toEqual({ step: 'karmada-webhook', isBlocked: false });
  });

  it('ignores estimators, which depend on member clusters', () => {
    expect(openStep(changeOf(['karmada-scheduler-estimator']))).toBeUndefined();
  });

  it.each<[string, Step, More]>([
    [
      'its repair is paused',
      'karmada-webhook',
      { waiting: new Map([['karmada-webhook', paused]]) },
    ],
    ['the archive is missing', 'crds', { snapshot: { archive: { pending: 'downloading' } } }],
    ['the state of etcd is unknown', 'etcd', { waiting: new Map([['etcd', waits]]) }],
    [
      'other control planes are changed first',
      'karmada-webhook',
      { rollout: { turn: 'wait', reason: 'Waiting', message: '' } },
    ],
    [
      'the caches are stale',
      'karmada-webhook',
      { snapshot: { controlPlane: { state: 'syncing', message: '', objects: [], unobserved } } },
    ],
  ])('returns the step as blocked when %s', (_, step, more) => {
    const change = changeOf([step], more);
    expect(openStep(change)).toEqual({ step, isBlocked: true });
    expect(failedStep(change, statusAt(step, 600_000))).toBeUndefined();
  });
});

describe('failedStep', () => {
  const fails = (change: ChangeState, before: KarmadaStatus): boolean =>
    failedStep(change, before) !== undefined;

  it.each([
    [59_999, false],
    [60_000, true],
  ])('after %i ms returns %s', (ms, expected) => {
    expect(fails(changeOf(['karmada-webhook']), statusAt('karmada-webhook', ms))).toBe(expected);
  });

  it('counts the time in which a step waits for others', () => {
    const change = changeOf(['crds'], { waiting: new Map([['crds', waits]]) });
    expect(fails(change, statusAt('crds', 60_000))).toBe(true);
  });

  it('counts from the start of the stage', () => {
    const before = statusAt('karmada-aggregated-apiserver', 60_000);
    expect(fails(changeOf(['karmada-webhook']), before)).toBe(true);
    expect(fails(changeOf(['karmada-scheduler']), before)).toBe(false);
  });

  it('starts anew when the spec changes', () => {
    const before = { ...statusAt('karmada-webhook', 60_000), observedGeneration: 1 };
    expect(fails(changeOf(['karmada-webhook']), before)).toBe(false);
  });

  it('does not fail when the operator did not see the step start', () => {
    const upgrade = { step: 'karmada-webhook', phase: 'Progressing' } as const;
    expect(fails(changeOf(['karmada-webhook']), { observedGeneration: 2, upgrade })).toBe(false);
  });

  it.each<[string, KubernetesObject, boolean]>([
    ['a new Pod became ready less than the deadline ago', podSince(30_000), false],
    ['a new Pod became ready earlier', podSince(60_000), true],
    ['a new Pod is not ready any more', podSince(30_000, false), true],
    ['a Pod from before the step is ready', podSince(3_600_000), true],
  ])('with progress: %s', (_, found, expected) => {
    const snapshot = { host: { objects: [], pods: [found], claims: [] } };
    const change = changeOf(['karmada-webhook'], { snapshot });
    expect(fails(change, statusAt('karmada-webhook', 90_000))).toBe(expected);
  });

  it('names the cause that the condition of the component reports', () => {
    const before: KarmadaStatus = {
      ...statusAt('karmada-webhook', 60_000),
      conditions: [
        {
          type: 'WebhookReady',
          status: 'False',
          reason: 'ImagePullFailed',
          message: 'Pod a: no such image',
          lastTransitionTime: at(NOW),
        },
      ],
    };
    expect(failedStep(changeOf(['karmada-webhook']), before)).toEqual({
      step: 'karmada-webhook',
      reason: 'ImagePullFailed',
      message: 'Pod a: no such image',
      at: at(NOW),
    });
    expect(
      failedStep(changeOf(['karmada-webhook']), statusAt('karmada-webhook', 60_000)),
    ).toMatchObject({ reason: 'Progressing', message: '0 of 1 Pods' });
  });

  it('returns the functional checks when they are the last step', () => {
    expect(failedStep(changeOf([]), statusAt('serving', 60_000))).toMatchObject({
      step: 'serving',
    });
    expect(fails(changeOf([]), statusAt('karmada-scheduler', 60_000))).toBe(false);
  });
});

describe('msUntilDeadline', () => {
  it('returns the time until the deadline of the present step', () => {
    const karmada = karmadaOf(SPEC);
    expect(msUntilDeadline(statusAt('crds', 20_000), karmada, NOW)).toBe(40_000);
    expect(msUntilDeadline(statusAt('crds', 60_000), karmada, NOW)).toBe(Infinity);
    expect(msUntilDeadline({}, karmada, NOW)).toBe(Infinity);
  });

  it('uses ten minutes by default', () => {
    expect(msUntilDeadline(statusAt('crds', 0), karmadaOf(), NOW)).toBe(600_000);
  });
});
