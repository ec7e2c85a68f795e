/** Status of a control plane that the operator does not reconcile, for one of several reasons. Pure functions. */
import type { Problem } from '../../api/reasons/problem.ts';
import type { Condition, Karmada, KarmadaStatus, Phase, UpgradeStatus } from '../../api/karmada.ts';
import { CLUSTER_UNOBSERVED } from './watch-states.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import { specHash, stalled, STALLED } from '../../conditions/generic-clients.ts';
import { ROTATE_ANNOTATION } from '../../pki/rotate-request.ts';
import { merged } from './managed-conditions.ts';

/** What a status follows from. */
export interface Context {
  /** Status that was written last. */
  readonly before: KarmadaStatus;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

/**
 * Status of a Karmada that is rejected or being deleted.
 * @param cause reason and message of Ready, which becomes False
 * @param context now: wall clock in milliseconds; phase: `Failed` also sets Stalled
 */
export function rejectedStatus(
  karmada: Karmada,
  cause: Problem,
  { phase, ...context }: Context & { readonly phase: Phase },
): KarmadaStatus {
  const { before } = context;
  const ready: ConditionDraft = { type: 'Ready', status: 'False', ...cause };
  const findings = phase === 'Failed' ? [ready, stalled(cause)] : [ready];
  // The conditions of components stay: the operator did not observe them, but nothing indicates a change.
  const conditions = conditionsWith(karmada, findings, context);
  return { ...before, observedGeneration: karmada.metadata.generation ?? 0, phase, conditions };
}

/** Status while the operator cannot watch its own cluster. The control plane may still run: Ready becomes Unknown. */
export function unobservedStatus(
  karmada: Karmada,
  cause: Problem,
  context: Context,
): KarmadaStatus {
  const needsUser = cause.reason !== CLUSTER_UNOBSERVED.silent;
  const others = needsUser ? [stalled(cause)] : [];
  return unseenStatus(karmada, cause, { ...context, others, phase: 'Installing' });
}

/** Status of a control plane with features that this operator does not know. It may still run: Ready becomes Unknown. */
export const newerOperatorStatus = (
  karmada: Karmada,
  cause: Problem,
  context: Context,
): KarmadaStatus =>
  unseenStatus(karmada, cause, { ...context, others: [stalled(cause)], phase: 'Installing' });

/** Status while each reconcile fails as a whole. The control plane may still run: Ready becomes Unknown. */
export function failingStatus(karmada: Karmada, cause: Problem, context: Context): KarmadaStatus {
  const degraded: ConditionDraft = { type: 'Degraded', status: 'True', ...cause };
  if (karmada.metadata.deletionTimestamp !== undefined)
    return { ...context.before, conditions: conditionsWith(karmada, [degraded], context) };
  const still: ConditionDraft = { type: 'Progressing', status: 'False', ...cause };
  return unseenStatus(karmada, cause, {
    ...context,
    others: [still, degraded, stalled(cause)],
    phase: 'Failed',
  });
}

/** Status of a control plane that the operator cannot see. @param phase phase of a control plane that was never ready */
export function unseenStatus(
  karmada: Karmada,
  cause: Problem,
  { others, phase, ...context }: Context & { others: readonly ConditionDraft[]; phase: Phase },
): KarmadaStatus {
  const installed = context.before.secretRef !== undefined;
  const ready: ConditionDraft = {
    type: 'Ready',
    status: installed ? 'Unknown' : 'False',
    ...cause,
  };
  return {
    ...withoutStepStart(context.before),
    observedGeneration: karmada.metadata.generation ?? 0,
    phase: installed ? 'Degraded' : phase,
    conditions: conditionsWith(karmada, [ready, ...others], context),
  };
}

/** The time in which the operator does not see a step of an upgrade does not count for its deadline. */
function withoutStepStart(status: KarmadaStatus): KarmadaStatus {
  const { upgrade } = status;
  return upgrade?.phase === 'Progressing' ? { ...status, upgrade: withoutStart(upgrade) } : status;
}

const withoutStart = ({ startedAt: _, ...upgrade }: UpgradeStatus): UpgradeStatus => upgrade;

/** Reasons of a failed reconcile. The next reconcile that succeeds removes their conditions. */
export const RECONCILE_ERROR_REASONS = {
  refused: 'ReconcileFailed',
  fault: 'OperatorFault',
} as const;

const OVER: ReadonlySet<string> = new Set(
  Object.values({ ...RECONCILE_ERROR_REASONS, ...CLUSTER_UNOBSERVED }),
);

const isOver = (reason: string): boolean => OVER.has(reason);

/** The new conditions first, then the previous ones of other types; Stalled and outdated reasons are dropped. */
export function conditionsWith(
  karmada: Karmada,
  findings: readonly ConditionDraft[],
  { before, now }: Context,
): readonly Condition[] {
  const types = new Set(findings.map(({ type }) => type));
  return [
    ...merged(karmada, before, findings, now).filter(({ type }) => types.has(type)),
    ...(before.conditions ?? []).filter(
      ({ type, reason }) => !types.has(type) && type !== STALLED && !isOver(reason),
    ),
  ];
}

const SUSPENDED =
  'spec.suspend is true: the operator changes nothing until it is false; deletion is still processed';

/** The operator does not read the certificates, so it does not know whether it has executed the request before. */
function suspendedCondition({ metadata }: Karmada): ConditionDraft {
  const isRequested = metadata.annotations?.[ROTATE_ANNOTATION] !== undefined;
  const request = `annotation ${ROTATE_ANNOTATION}: not executed until then, unless it was before`;
  const message = isRequested ? `${SUSPENDED}; ${request}` : SUSPENDED;
  return { type: 'Suspended', status: 'True', reason: 'Suspended', message };
}

/**
 * Status of a suspended control plane. Ready keeps its last observed state, except for failures that the operator no
 * longer retries. `observedGeneration` stays at the last reconciled generation unless the spec equals the applied one.
 * @param now wall clock in milliseconds
 */
export function suspendedStatus(
  karmada: Karmada,
  before: KarmadaStatus,
  now: number,
): KarmadaStatus {
  const generation = karmada.metadata.generation ?? 0;
  const ready = before.conditions?.find(({ type }) => type === 'Ready');
  const isApplied = before.appliedSpecHash === specHash(karmada);
  const worked = isUnseen(ready) ? before.observedGeneration : ready?.observedGeneration;
  return {
    ...before,
    observedGeneration: isApplied ? generation : (worked ?? 0),
    phase: 'Suspended',
    conditions: conditionsWith(
      karmada,
      [...suspendedReady(ready, isApplied), suspendedCondition(karmada)],
      {
        before,
        now,
      },
    ),
  };
}

/** Ready, if it has to be written. */
function suspendedReady(
  ready: Condition | undefined,
  isApplied: boolean,
): readonly ConditionDraft[] {
  if (ready === undefined) return [UNSEEN];
  if (isUnseen(ready)) return [{ ...UNSEEN, status: ready.status }];
  const { type, status, reason, message } = ready;
  return isApplied ? [{ type, status, reason, message }] : [];
}

/** Whether no successful reconcile has reported the state of the control plane. */
const isUnseen = (ready: Condition | undefined): boolean =>
  ready === undefined || isOver(ready.reason) || ready.reason === UNSEEN.reason;

const UNSEEN: ConditionDraft = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'Suspended',
  message: 'spec.suspend: the control plane was suspended before the operator observed its state',
};
