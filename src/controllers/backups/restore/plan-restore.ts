/**
 * Decides what a KarmadaRestore does now: pure. The operator restores nothing before a user has confirmed the ID of the etcd
 * cluster that is given up. Annotations of the Karmada then start the restore and pause the propagation.
 */
import type { KarmadaRestore, KarmadaRestoreStatus } from '../../../api/backup/kinds.ts';
import type { Karmada } from '../../../api/karmada.ts';
import { isTerminating } from '../../../kubernetes/objects/object.ts';
import { backupValue } from '../../../etcd-cluster/recovery/confirmed-backup.ts';
import { RECOVER_ANNOTATION } from '../../../etcd-cluster/recovery/survivors.ts';
import { PROPAGATION_PAUSED } from '../../../features/propagation/propagation.ts';
import type { RestoreFacts } from './restore-facts.ts';
import {
  backupObstacle,
  obstacleOf,
  otherRecovery,
  otherText,
  secretObstacle,
} from './restore-obstacle.ts';
import { authorityDifference, caConfirmation } from './authority-difference.ts';
import { planAfterReplacement, REPLACED } from './plan-after-replacement.ts';
import { pauses, withoutPause, withPause } from './propagation-pause.ts';
import { unconfirmed } from './confirmation.ts';
import { annotationsOf, type AnnotationChange, type RestorePlan } from './restore-plan.ts';
import {
  finished,
  OVERTAKEN,
  reportedRestore,
  RESTORED,
  WITHDRAWN,
  withoutEnd,
  type RestoreReport,
} from './restore-status.ts';

/** Plans a restore. */
export function planRestore(restore: KarmadaRestore, facts: RestoreFacts): RestorePlan {
  const { hostProblem, now } = facts;
  if (restore.status?.startedAt === undefined) return beforeStart(restore, facts);
  if (hostProblem === undefined) return afterStart(restore, facts);
  // The end of a restore needs nothing of the host cluster.
  if (hasServed(restore)) return planAfterReplacement(restore, facts);
  if (hasEnded(restore)) return { status: restore.status, hasFinalizer: false };
  return waiting(restore, hostProblem.message, now);
}

function beforeStart(restore: KarmadaRestore, facts: RestoreFacts): RestorePlan {
  if (isTerminating(restore)) return { status: restore.status ?? {}, hasFinalizer: false };
  const { now } = facts;
  const obstacle = obstacleOf(restore, facts);
  if (obstacle !== undefined)
    return {
      status: reportedRestore(restore, { report: obstacle, more: {}, now }),
      hasFinalizer: false,
    };
  const more = subjectOf(facts);
  const open = unconfirmed(restore, facts, more.clusterID);
  const isConfirmed = open === undefined;
  const report = open ?? RESTORING;
  const started = isConfirmed ? { ...more, startedAt: now } : more;
  return {
    status: reportedRestore(withoutAnswer(restore), { report, more: started, now }),
    hasFinalizer: isConfirmed,
  };
}

/** The CAs may not differ any more. */
const withoutAnswer = ({ status, ...restore }: KarmadaRestore): KarmadaRestore =>
  status === undefined ? restore : { ...restore, status: withoutDifference(status) };

const withoutDifference = ({
  caConfirmation: _,
  ...status
}: KarmadaRestoreStatus): KarmadaRestoreStatus => status;

/** What replaces what. */
function subjectOf(facts: RestoreFacts): KarmadaRestoreStatus & { readonly clusterID: string } {
  const { record, backup } = facts;
  const { revision = '', finishedAt, takenAt = finishedAt } = backup?.status ?? {};
  const difference = authorityDifference(facts);
  return {
    ...(difference && { caConfirmation: caConfirmation(difference) }),
    clusterID: record?.clusterID ?? '',
    revision,
    ...(takenAt !== undefined && { backupTime: takenAt }),
  };
}

const RESTORING: RestoreReport = {
  phase: 'Restoring',
  reason: 'Restoring',
  message: 'the backup is restored',
};

/** Value that the annotation of the Karmada must have. */
function valueOf({ metadata, status }: KarmadaRestore): string {
  const { clusterID = '', revision = '' } = status ?? {};
  return backupValue({ restore: metadata.name, clusterID, revision });
}

function afterStart(restore: KarmadaRestore, facts: RestoreFacts): RestorePlan {
  const value = valueOf(restore);
  const isSwitching = isSwitchingTo(facts, value);
  if (hasReplaced(restore, facts, value)) return planAfterReplacement(restore, facts);
  if (!isSwitching && isOver(restore, facts, value)) return withdrawn(restore, facts, value);
  return running(restore, facts, { value, isSwitching });
}

const isSwitchingTo = ({ record }: RestoreFacts, value: string): boolean =>
  record?.recovery?.from === value && record.recovery.phase === 'switching';

/** Whether the restored data is in use. */
function hasReplaced(restore: KarmadaRestore, facts: RestoreFacts, value: string): boolean {
  if (hasServed(restore) || facts.record?.recovered?.includes(value) === true) return true;
  return reasonOf(restore) === REPLACED.reason && !isSwitchingTo(facts, value);
}

const isOver = (restore: KarmadaRestore, facts: RestoreFacts, value: string): boolean =>
  isWithdrawn(restore) || isOvertaken(restore) || isReplaced(restore, facts, value);

/**
 * Whether the restored data has served. The status outlives the record of etcd: a restore that has replaced the data once
 * never starts again.
 */
const hasServed = ({ status }: KarmadaRestore): boolean =>
  status?.phase === 'PropagationPaused' || status?.phase === 'Complete';

/** Whether another recovery has withdrawn the restore: its confirmation is void, also if the record names the cluster again. */
const isOvertaken = (restore: KarmadaRestore): boolean =>
  restore.status?.phase === 'Withdrawn' && reasonOf(restore) === OVERTAKEN.reason;

/** Whether the withdrawal is complete, and the user has not confirmed the restore again. */
const hasEnded = (restore: KarmadaRestore): boolean =>
  restore.status?.phase === 'Withdrawn' &&
  restore.status.finishedAt !== undefined &&
  (isOvertaken(restore) || isWithdrawn(restore));

const reasonOf = ({ status }: KarmadaRestore): string | undefined =>
  status?.conditions?.find(({ type }) => type === RESTORED)?.reason;

/** The state of a started restore is unknown. */
function waiting(restore: KarmadaRestore, cause: string, now: string): RestorePlan {
  const { phase = 'Restoring' } = restore.status ?? {};
  const { reason } = reasonOf(restore) === REPLACED.reason ? REPLACED : RESTORING;
  const report = { phase, reason, message: `waits: ${cause}` };
  return { status: reportedRestore(restore, { report, more: {}, now }), hasFinalizer: true };
}

const isWithdrawn = (restore: KarmadaRestore): boolean =>
  isTerminating(restore) || restore.spec.confirmation !== restore.status?.clusterID;

/** Whether another recovery has given up the cluster that the user confirmed. */
const isReplaced = ({ status }: KarmadaRestore, { record }: RestoreFacts, value: string): boolean =>
  record !== undefined && record.clusterID !== status?.clusterID && record.recovery?.from !== value;

function running(
  restore: KarmadaRestore,
  facts: RestoreFacts,
  { value, isSwitching }: { readonly value: string; readonly isSwitching: boolean },
): RestorePlan {
  const { karmada, now } = facts;
  const other = otherRecovery(value, facts);
  const isStarted =
    isSwitching || other !== undefined || annotationsOf(karmada)[RECOVER_ANNOTATION] === value;
  if (!isStarted && karmada !== undefined && facts.record === undefined)
    return waiting(restore, 'the operator has no record of etcd', now);
  const report = reportOf(restore, facts, { other, isStarted, isSwitching });
  const status = reportedRestore(withoutEnd(restore), { report, more: {}, now });
  const start = {
    [RECOVER_ANNOTATION]: value,
    [PROPAGATION_PAUSED]: withPause(restore, annotationsOf(karmada)),
  };
  return {
    status,
    hasFinalizer: karmada !== undefined,
    ...(!isStarted && { annotate: start }),
  };
}

function reportOf(
  restore: KarmadaRestore,
  facts: RestoreFacts,
  state: {
    readonly other: string | undefined;
    readonly isStarted: boolean;
    readonly isSwitching: boolean;
  },
): RestoreReport {
  const progress = progressOf(facts.karmada);
  if (state.isSwitching) return { ...REPLACED, message: progress };
  const waits = waitsFor(restore, facts, state.other);
  if (waits !== undefined) return { ...RESTORING, message: waits };
  const lacks = state.isStarted ? undefined : secretObstacle(facts);
  return lacks === undefined
    ? { ...RESTORING, message: progress }
    : { ...RESTORING, reason: lacks.reason, message: `waits: ${lacks.message}` };
}

/** What a started restore waits for before the data is replaced. */
function waitsFor(
  restore: KarmadaRestore,
  facts: RestoreFacts,
  other: string | undefined,
): string | undefined {
  if (facts.karmada === undefined) return 'waits: the Karmada does not exist';
  if (other !== undefined) return `waits: ${otherText(other)}`;
  const missing = backupObstacle(restore, facts);
  return missing && `waits: ${missing.message}`;
}

/** What the Karmada reports about itself. */
function progressOf(karmada: Karmada | undefined): string {
  const ready = karmada?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.message ? `the backup is restored: ${ready.message}` : RESTORING.message;
}

/** Takes back the annotations, and waits until the operator has deleted what the restore created. */
function withdrawn(
  restore: KarmadaRestore,
  { karmada, record, now }: RestoreFacts,
  value: string,
): RestorePlan {
  const annotations = annotationsOf(karmada);
  const isAnnotated = annotations[RECOVER_ANNOTATION] === value;
  const withdrawal = withoutOwn(restore, { value, annotations });
  const isRunning = isAnnotated || record?.recovery?.from === value;
  const isDone = karmada === undefined || !isRunning;
  const isByUser = isWithdrawn(restore) && !isOvertaken(restore);
  const told = isByUser ? WITHDRAWN : OVERTAKEN;
  const report = isDone ? told : { ...told, message: 'the restore is being withdrawn' };
  const more = isDone ? finished(restore, now) : {};
  return {
    status: reportedRestore(restore, { report, more, now }),
    hasFinalizer: !isDone,
    ...(Object.keys(withdrawal).length > 0 && { annotate: withdrawal }),
  };
}

/** Somebody else may have paused the propagation, or started another recovery. */
const withoutOwn = (
  restore: KarmadaRestore,
  {
    value,
    annotations,
  }: { readonly value: string; readonly annotations: Readonly<Record<string, string>> },
): AnnotationChange => ({
  ...(annotations[RECOVER_ANNOTATION] === value && { [RECOVER_ANNOTATION]: null }),
  ...(pauses(restore, annotations) && {
    [PROPAGATION_PAUSED]: withoutPause(restore, annotations),
  }),
});
