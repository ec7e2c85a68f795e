/** How generic clients read the status of a Karmada: by the rules of kstatus for any kind, and of kubectl wait. */
import type { Problem } from '../../api/problem.ts';
import { describe, expect, it } from '@jest/globals';
import type { Karmada, KarmadaSpec, KarmadaStatus } from '../../api/karmada.ts';
import type { Step } from '../../components/component.ts';
import { karmadaOf, NOW, snapshotOf, VIEW, wishOf } from '../__fixtures__/instance.ts';
import type { BlockedChange } from '../blocked-change.ts';
import type { ExecutionResult } from '../execution-result.ts';
import { planInstance } from '../plan.ts';
import { stepStates } from '../steps.ts';
import { assess } from './assessment.ts';
import {
  failingStatus,
  rejectedStatus,
  suspendedStatus,
  unreachedStatus,
} from './unreconciled-status.ts';
import { statusOf } from './status.ts';

type Verdict = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

/** The rules of kstatus for a kind that it does not know, as its documentation describes them. */
function kstatus({ metadata, status = {} }: Karmada): Verdict {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const { observedGeneration, conditions = [] } = status;
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation)
    return 'InProgress';
  const is = (type: string, value: string): boolean =>
    conditions.some((condition) => condition.type === type && condition.status === value);
  if (is('Reconciling', 'True')) return 'InProgress';
  if (is('Stalled', 'True')) return 'Failed';
  return is('Ready', 'False') || is('Ready', 'Unknown') ? 'InProgress' : 'Current';
}

/** Whether `kubectl wait --for=condition=Ready` ends. */
function waitEnds({ metadata, status = {} }: Karmada): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const observed = ready?.observedGeneration ?? status.observedGeneration ?? Infinity;
  return ready?.status === 'True' && observed >= (metadata.generation ?? 0);
}

const ALL: readonly Step[] = [...wishOf().steps];
const NOTHING: ExecutionResult = {
  live: new Map(),
  problems: [],
  errors: [],
  blockedChanges: [],
  writes: 0,
};
const HOLD: BlockedChange = { step: 'etcd', reason: 'EtcdMembersBlocked', message: 'it is kept' };

/** A Karmada in this generation of its spec. */
const karmadaIn = (generation: number, spec: KarmadaSpec = {}): Karmada => {
  const { metadata, ...rest } = karmadaOf(spec);
  return { ...rest, metadata: { ...metadata, generation } };
};

interface Seen {
  readonly done?: readonly Step[];
  readonly blockedChanges?: readonly BlockedChange[];
  readonly problem?: Problem;
  readonly errors?: readonly Error[];
}

/** The Karmada with its status after a reconcile. */
function worked(karmada: Karmada, before: KarmadaStatus, seen: Seen = {}): Karmada {
  const { done = ALL, blockedChanges = [], problem, errors = [] } = seen;
  const desiredState = wishOf();
  const snapshot = snapshotOf(desiredState, done, { karmada });
  const states = stepStates(desiredState, snapshot);
  const assessment = assess({
    snapshot,
    desired: desiredState,
    view: VIEW,
    plan: planInstance({ snapshot, desired: desiredState, states, blockedChanges }, VIEW),
    outcome: { ...NOTHING, errors },
    certificateProblem: problem,
  });
  return { ...karmada, status: statusOf(assessment, before) };
}

const READY = worked(karmadaIn(2), {}).status ?? {};

/** The same without the fields that an older operator does not write. */
const FORMER: KarmadaStatus = Object.fromEntries(
  Object.entries(READY).filter(([field]) => field !== 'appliedSpecHash'),
);

/** The Karmada with its status after it was suspended. */
function suspended(karmada: Karmada, before: KarmadaStatus): Karmada {
  const status = suspendedStatus(karmada, before, NOW);
  expect(suspendedStatus(karmada, status, NOW + 60_000)).toEqual(status);
  return { ...karmada, status };
}

const SUSPEND = { suspend: true };
const problem = { reason: 'CrashLoopBackOff', message: 'a pod fails' };
const context = { before: READY, now: NOW };
const unreached = (reason: string): Karmada => ({
  ...karmadaIn(2),
  status: unreachedStatus(karmadaIn(2), { reason, message: 'why' }, context),
});

describe('kstatus and kubectl wait', () => {
  it.each<[string, Verdict, Karmada]>([
    ['a spec that is applied', 'Current', worked(karmadaIn(2), {})],
    [
      'a spec that the operator has not observed yet',
      'InProgress',
      { ...karmadaIn(3), status: READY },
    ],
    ['a change in progress', 'InProgress', worked(karmadaIn(3), READY, { done: [] })],
    ['a blocked change', 'Failed', worked(karmadaIn(3), READY, { blockedChanges: [HOLD] })],
    ['a failed change', 'Failed', worked(karmadaIn(3), READY, { problem })],
    ['a failed API call', 'InProgress', worked(karmadaIn(3), READY, { errors: [new Error('x')] })],
    [
      'a rejected spec',
      'Failed',
      {
        ...karmadaIn(3),
        status: rejectedStatus(karmadaIn(3), problem, { ...context, phase: 'Failed' }),
      },
    ],
    [
      'reconciles that fail as a whole',
      'Failed',
      { ...karmadaIn(2), status: failingStatus(karmadaIn(2), problem, context) },
    ],
    ['an unreachable host cluster', 'InProgress', unreached('HostUnreachable')],
    ['a host cluster whose Secret is missing', 'Failed', unreached('HostSecretMissing')],
    ['a suspended spec that is applied', 'Current', suspended(karmadaIn(3, SUSPEND), READY)],
    [
      'a spec that changed while it was suspended',
      'InProgress',
      suspended(karmadaIn(3, { ...SUSPEND, version: 'v1.17.1' }), READY),
    ],
    [
      'a change that was suspended while in progress',
      'InProgress',
      suspended(karmadaIn(4, SUSPEND), worked(karmadaIn(3), READY, { done: [] }).status ?? {}),
    ],
    [
      'a blocked change that was suspended',
      'InProgress',
      suspended(
        karmadaIn(4, SUSPEND),
        worked(karmadaIn(3), READY, { blockedChanges: [HOLD] }).status ?? {},
      ),
    ],
    [
      'a Karmada that was suspended under an older operator',
      'InProgress',
      suspended(karmadaIn(3, SUSPEND), { ...FORMER, observedGeneration: 3, phase: 'Suspended' }),
    ],
    ['a Karmada that was created suspended', 'InProgress', suspended(karmadaIn(1, SUSPEND), {})],
    [
      'a Karmada that is resumed',
      'Current',
      worked(karmadaIn(4), suspended(karmadaIn(3, SUSPEND), READY).status ?? {}),
    ],
  ])('report %s as %s', (_name, verdict, karmada) => {
    expect(kstatus(karmada)).toBe(verdict);
    expect(waitEnds(karmada)).toBe(verdict === 'Current');
  });

  it('see the phase Blocked and the condition Stalled while a change is blocked', () => {
    const blocked = worked(karmadaIn(3), READY, { blockedChanges: [HOLD] }).status;
    expect(blocked).toMatchObject({
      phase: 'Blocked',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'EtcdMembersBlocked' }),
      ]),
    });
  });

  it('see no condition Stalled after a blocked change is reverted', () => {
    const blocked = worked(karmadaIn(3), READY, { blockedChanges: [HOLD] }).status ?? {};
    const after = worked(karmadaIn(4), blocked).status;
    expect(after?.phase).toBe('Running');
    expect(after?.conditions?.map(({ type }) => type)).not.toContain('Stalled');
  });
});
