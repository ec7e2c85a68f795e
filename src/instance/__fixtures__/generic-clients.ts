/** Karmadas in states that generic clients such as kubectl, Argo CD and Flux distinguish, with what these clients report. */
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { Karmada, KarmadaSpec, KarmadaStatus } from '../../api/karmada.ts';
import type { Step } from '../../components/component.ts';
import type { BlockedChange } from '../blocked-change.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import { planInstance } from '../../features/components/plan.ts';
import { withProgress } from '../../features/progress/with-progress.ts';
import type { Assessment } from '../../actions/assessment.ts';
import { assess } from '../../controllers/karmada/assess.ts';
import { statusOf } from '../../controllers/karmada/status.ts';
import {
  failingStatus,
  rejectedStatus,
  suspendedStatus,
} from '../../features/status/unreconciled-status.ts';
import { unreachedStatus } from '../../features/remote-host/unreached-status.ts';
import { stepStates } from '../../features/components/steps.ts';
import { karmadaOf, NOW, snapshotOf, VIEW, wishOf } from './instance.ts';

/** Status of kstatus. */
export type Kstatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating';
/** Health of Argo CD. */
export type ArgoHealth = 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';

const ALL: readonly Step[] = [...wishOf().steps];
const NOTHING: ExecutionResult = {
  live: new Map(),
  problems: [],
  errors: [],
  blockedChanges: [],
  writes: 0,
};
export const HOLD: BlockedChange = {
  step: 'etcd',
  reason: 'EtcdMembersBlocked',
  message: 'it is kept',
};

/** A Karmada in this generation of its spec. */
export const karmadaIn = (generation: number, spec: KarmadaSpec = {}): Karmada => {
  const { metadata, ...rest } = karmadaOf(spec);
  return { ...rest, metadata: { ...metadata, generation } };
};

interface Seen {
  readonly done?: readonly Step[];
  readonly blockedChanges?: readonly BlockedChange[];
  readonly problem?: Problem;
  readonly errors?: readonly Error[];
  /** Time in milliseconds for which nothing has changed. */
  readonly idleMs?: number;
}

/** The Karmada with its status after a reconcile. */
export function worked(karmada: Karmada, before: KarmadaStatus, seen: Seen = {}): Karmada {
  const { done = ALL, blockedChanges = [], problem, errors = [], idleMs } = seen;
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
  const judged = idleMs === undefined ? assessment : idle(assessment, before, idleMs);
  return { ...karmada, status: statusOf(judged, before) };
}

/** The assessment of a control plane in which nothing has changed for a time. */
function idle(assessment: Assessment, before: KarmadaStatus, idleMs: number): Assessment {
  const instance = {};
  const [, last = assessment] = [NOW - idleMs, NOW].map((time) => {
    const input = { instance, clock: { wall: () => time }, progressDeadlineMs: 300_000 };
    const { remember, ...judged } = withProgress(input, assessment, before);
    Object.assign(instance, remember);
    return judged.assessment;
  });
  return last;
}

export const READY = worked(karmadaIn(2), {}).status ?? {};

/** The same without the fields that an older operator does not write. */
const FORMER: KarmadaStatus = Object.fromEntries(
  Object.entries(READY).filter(([field]) => field !== 'appliedSpecHash'),
);

/** The Karmada with its status after it was suspended. */
function suspended(karmada: Karmada, before: KarmadaStatus): Karmada {
  return { ...karmada, status: suspendedStatus(karmada, before, NOW) };
}

const SUSPEND = { suspend: true };
const problem = { reason: 'CrashLoopBackOff', message: 'a pod fails' } as const;
const context = { before: READY, now: NOW };
const unreached = (reason: Reason): Karmada => ({
  ...karmadaIn(2),
  status: unreachedStatus(karmadaIn(2), { reason, message: 'why' }, context),
});

/** States of Karmadas: title, kstatus and health of Argo CD, Karmada. */
export const GENERIC_STATES: readonly (readonly [
  string,
  readonly [Kstatus, ArgoHealth],
  Karmada,
])[] = [
  ['a spec that is applied', ['Current', 'Healthy'], worked(karmadaIn(2), {})],
  [
    'a spec that the operator has not observed yet',
    ['InProgress', 'Progressing'],
    { ...karmadaIn(3), status: READY },
  ],
  [
    'a change in progress',
    ['InProgress', 'Progressing'],
    worked(karmadaIn(3), READY, { done: [] }),
  ],
  [
    'a change in progress that has been idle for four minutes',
    ['InProgress', 'Progressing'],
    worked(karmadaIn(3), READY, { done: [], idleMs: 240_000 }),
  ],
  [
    'a change without progress for five minutes',
    ['Failed', 'Degraded'],
    worked(karmadaIn(3), READY, { done: [], idleMs: 300_000 }),
  ],
  [
    'API calls that have failed for five minutes',
    ['Failed', 'Degraded'],
    worked(karmadaIn(3), READY, { done: [], errors: [new Error('x')], idleMs: 300_000 }),
  ],
  [
    'a blocked change',
    ['Failed', 'Degraded'],
    worked(karmadaIn(3), READY, { blockedChanges: [HOLD] }),
  ],
  ['a failed change', ['Failed', 'Degraded'], worked(karmadaIn(3), READY, { problem })],
  [
    'a failed API call',
    ['InProgress', 'Degraded'],
    worked(karmadaIn(3), READY, { errors: [new Error('x')] }),
  ],
  [
    'a rejected spec',
    ['Failed', 'Degraded'],
    {
      ...karmadaIn(3),
      status: rejectedStatus(karmadaIn(3), problem, { ...context, phase: 'Failed' }),
    },
  ],
  [
    'reconciles that fail as a whole',
    ['Failed', 'Degraded'],
    { ...karmadaIn(2), status: failingStatus(karmadaIn(2), problem, context) },
  ],
  ['an unreachable host cluster', ['InProgress', 'Progressing'], unreached('HostUnreachable')],
  [
    'a host cluster whose Secret is missing',
    ['Failed', 'Degraded'],
    unreached('HostSecretMissing'),
  ],
  [
    'a suspended spec that is applied',
    ['Current', 'Suspended'],
    suspended(karmadaIn(3, SUSPEND), READY),
  ],
  [
    'a spec that changed while it was suspended',
    ['InProgress', 'Suspended'],
    suspended(karmadaIn(3, { ...SUSPEND, version: 'v1.17.1' }), READY),
  ],
  [
    'a change that was suspended while in progress',
    ['InProgress', 'Suspended'],
    suspended(karmadaIn(4, SUSPEND), worked(karmadaIn(3), READY, { done: [] }).status ?? {}),
  ],
  [
    'a blocked change that was suspended',
    ['InProgress', 'Suspended'],
    suspended(
      karmadaIn(4, SUSPEND),
      worked(karmadaIn(3), READY, { blockedChanges: [HOLD] }).status ?? {},
    ),
  ],
  [
    'a Karmada that was suspended under an older operator',
    ['InProgress', 'Suspended'],
    suspended(karmadaIn(3, SUSPEND), { ...FORMER, observedGeneration: 3, phase: 'Suspended' }),
  ],
  [
    'a Karmada that was created suspended',
    ['InProgress', 'Suspended'],
    suspended(karmadaIn(1, SUSPEND), {}),
  ],
  [
    'a Karmada that is resumed',
    ['Current', 'Healthy'],
    worked(karmadaIn(4), suspended(karmadaIn(3, SUSPEND), READY).status ?? {}),
  ],
];
