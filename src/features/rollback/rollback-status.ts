/** Reports a rollback: blocked change, and `status.upgrade`. Pure functions. */
import type { KarmadaStatus, UpgradeStatus, Versions } from '../../api/karmada.ts';
import { rollsBack, stepDeadline } from '../../api/versions/upgrade-policy.ts';
import { movedVersions, VERSION_SUBJECTS } from '../../api/versions/versions.ts';
import { wantedVersions } from '../../api/versions/wanted-versions.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { specHash } from '../../conditions/generic-clients.ts';
import { timestamp } from '../status/managed-conditions.ts';
import type { StepStates } from '../../actions/planner.ts';
import { isRequired } from '../components/order.ts';
import { canReturn, type RecordInput } from './record-actions.ts';
import type { Rollback } from '../../instance/rollback-spec.ts';
import { failedStep, isSameStep, openStep, READINESS_CHECK } from './step-deadline.ts';
import { parseTime } from '../../kubernetes/time/time.ts';

/** Reason of the blocked change, and of `Ready`. */
export const UPGRADE_ROLLED_BACK = 'UpgradeRolledBack';

/** Returns the change that the operator rolled back, as a blocked change. */
export function rolledBackChange(
  { rollback }: Pick<Snapshot, 'rollback'>,
  states: StepStates,
): BlockedChange | undefined {
  if (rollback === undefined) return undefined;
  const { failed, target, changed } = rollback;
  const cause = `${stepText(failed.step)} not ready within ${stepDeadline(target)} (${failed.message})`;
  const what = `${fieldsText(changed)}: ${cause}`;
  const message = isReturned(states)
    ? `${what}; ${stateText(rollback)}; revert or correct the change, or set spec.upgrade.stepDeadline to another value to try again`
    : `${what}; the operator returns to the last ready spec`;
  return { step: failed.step as BlockedChange['step'], reason: UPGRADE_ROLLED_BACK, message };
}

const stepText = (step: string): string =>
  step === READINESS_CHECK ? 'the control plane was' : `${step} was`;

/** Most fields that a message names. */
const NAMED = 3;

function fieldsText(changed: readonly string[]): string {
  const named = changed.slice(0, NAMED).join(', ') || 'spec';
  return changed.length > NAMED ? `${named} and ${changed.length - NAMED} more` : named;
}

function stateText({ lastReady, target }: Rollback): string {
  const moved = movedVersions(wantedVersions(target), wantedVersions(lastReady))
    .filter(({ subject }) => subject !== 'etcd')
    .map(
      ({ subject, before, after }) => `${VERSION_SUBJECTS[subject]} ${after} instead of ${before}`,
    );
  const versions = moved.length === 0 ? '' : ` (${moved.join(', ')})`;
  return `the control plane runs the last ready spec again${versions}`;
}

/** Whether all steps are complete, apart from estimators. */
const isReturned = (states: StepStates): boolean =>
  [...states].every(([step, { state }]) => state === 'complete' || !isRequired(step));

/** Fields of `status.upgrade` that only a change with `onFailure: Rollback` has. */
type Progress = Pick<UpgradeStatus, 'step' | 'phase' | 'startedAt' | 'reason' | 'message'>;

export interface ProgressInput extends RecordInput {
  /** Steps and other parts that are not complete. */
  readonly unfinished: readonly { readonly step: string }[];
}

/**
 * Returns the progress of a change.
 * @param begun upgrade in progress
 * @returns undefined with `onFailure: Halt`
 */
export function progressOf(
  input: ProgressInput,
  before: KarmadaStatus,
  begun: UpgradeStatus,
): Progress | undefined {
  const { karmada, rollback } = input.snapshot;
  if (!rollsBack(karmada.spec ?? {})) return undefined;
  if (rollback !== undefined) return returnOf(input, rollback);
  const open = openStep(input) ?? checkOf(input);
  if (open === undefined) return { phase: 'Progressing', ...(begun.step && { step: begun.step }) };
  const { step, isBlocked } = open;
  const startedAt = isBlocked ? undefined : startOf(step, before, input.snapshot);
  return { step, ...(startedAt && { startedAt }), ...haltOf(input, before) };
}

/** Start of the step: the recorded one, or now. */
function startOf(
  step: string,
  before: KarmadaStatus,
  snapshot: Pick<Snapshot, 'karmada' | 'now'>,
): string {
  const known = isSameStep(step, before, snapshot) ? before.upgrade?.startedAt : undefined;
  return known ?? timestamp(snapshot.now);
}

/** Phase of a change that was not rolled back. */
function haltOf(input: ProgressInput, before: KarmadaStatus): Progress {
  const { karmada, readyRecord } = input.snapshot;
  const failed = failedStep(input, before);
  if (failed === undefined) return { phase: 'Progressing' };
  if (canReturn(failed.step, before, { readyRecord, hash: specHash(karmada) }))
    return { phase: 'Progressing' };
  const { step, reason, message } = failed;
  return { phase: 'Halted', reason, message: haltText(step, message) };
}

/** The functional checks are the last step: all others are complete. */
const checkOf = ({
  unfinished,
}: ProgressInput): { step: string; isBlocked: boolean } | undefined =>
  unfinished.length > 0 && unfinished.every(({ step }) => step === READINESS_CHECK)
    ? { step: READINESS_CHECK, isBlocked: false }
    : undefined;

const haltText = (step: string, message: string): string =>
  step === 'etcd'
    ? `${message}; not rolled back, because etcd data cannot be downgraded`
    : `${message}; not rolled back, because no other spec was Ready since spec.upgrade.onFailure is Rollback`;

function returnOf({ states }: ProgressInput, { failed }: Rollback): Progress {
  return {
    step: failed.step,
    startedAt: timestamp(parseTime(failed.at)),
    phase: isReturned(states) ? 'RolledBack' : 'RollingBack',
    reason: failed.reason,
    message: failed.message,
  };
}

/** Versions from which a change starts and to which it leads, of a change that was rolled back. */
export const rolledBackVersions = ({
  lastReady,
  target,
}: Rollback): { readonly from: Versions; readonly to: Versions } => ({
  from: wantedVersions(lastReady),
  to: wantedVersions(target),
});

/** Whether the spec is another one than the last that was Ready, so that it can be rolled back. */
export const isOtherSpec = ({
  karmada,
  readyRecord,
}: Pick<Snapshot, 'karmada' | 'readyRecord'>): boolean =>
  rollsBack(karmada.spec ?? {}) &&
  readyRecord !== undefined &&
  readyRecord.specHash !== specHash(karmada);
