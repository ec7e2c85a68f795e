/**
 * Decides what a KarmadaRestore does now: pure. The operator restores nothing before a user has confirmed the ID of the etcd
 * cluster that is given up. Annotations of the Karmada then start the restore and pause the propagation.
 */
import type {
  KarmadaBackup,
  KarmadaBackupStore,
  KarmadaRestore,
  KarmadaRestoreStatus,
} from '../../../api/backup/kinds.ts';
import type { Karmada } from '../../../api/karmada.ts';
import type { EtcdRecord } from '../../etcd/birth/record.ts';
import { backupValue } from '../../etcd/recovery/confirmed-backup.ts';
import { RECOVER_ANNOTATION } from '../../etcd/recovery/survivors.ts';
import { PROPAGATION_PAUSED } from '../../propagation.ts';
import { obstacleOf } from './restore-obstacle.ts';
import { reportedRestore, type RestoreReport } from './restore-status.ts';

/** What a restore is decided on. Absent objects do not exist. */
export interface RestoreFacts {
  readonly karmada: Karmada | undefined;
  readonly backup: KarmadaBackup | undefined;
  readonly store: KarmadaBackupStore | undefined;
  /** Record of the etcd cluster; undefined if it is missing or not valid. */
  readonly record: EtcdRecord | undefined;
  /** Whether the operator knows its own image. */
  readonly hasImage: boolean;
  /** RFC 3339. */
  readonly now: string;
}

/** Annotations of the Karmada; `null` removes one. */
export type AnnotationChange = Readonly<Record<string, string | null>>;

export interface RestorePlan {
  /** Status to write before all other changes. */
  readonly status: KarmadaRestoreStatus;
  /** Whether the finalizer must be there: a restore that has begun is withdrawn before its object is deleted. */
  readonly hasFinalizer: boolean;
  /** Changes of the Karmada. The Secret with the configuration must exist before. */
  readonly annotate?: AnnotationChange;
}

/** Plans a restore. */
export function planRestore(restore: KarmadaRestore, facts: RestoreFacts): RestorePlan {
  return restore.status?.startedAt === undefined
    ? beforeStart(restore, facts)
    : afterStart(restore, facts);
}

const isDeleted = ({ metadata }: KarmadaRestore): boolean =>
  metadata.deletionTimestamp !== undefined;

function beforeStart(restore: KarmadaRestore, facts: RestoreFacts): RestorePlan {
  const status = (report: RestoreReport, more: KarmadaRestoreStatus = {}): KarmadaRestoreStatus =>
    reportedRestore(restore, { report, more, now: facts.now });
  if (isDeleted(restore)) return { status: restore.status ?? {}, hasFinalizer: false };
  const obstacle = obstacleOf(restore, facts);
  if (obstacle !== undefined) return { status: status(obstacle), hasFinalizer: false };
  const { record, backup } = facts;
  const { revision = '', finishedAt } = backup?.status ?? {};
  const { clusterID = '' } = record ?? {};
  const known = {
    ...{ clusterID, revision },
    ...(finishedAt !== undefined && { backupTime: finishedAt }),
  };
  const { confirmation } = restore.spec;
  if (confirmation !== clusterID)
    return { status: status(unconfirmed(restore, clusterID), known), hasFinalizer: false };
  return {
    status: status(RESTORING, { ...known, startedAt: facts.now }),
    hasFinalizer: true,
  };
}

function unconfirmed({ metadata, spec }: KarmadaRestore, clusterID: string): RestoreReport {
  const { name, namespace = '' } = metadata;
  const { confirmation, karmadaRef, backupRef } = spec;
  const command = `kubectl -n ${namespace} patch karmadarestore ${name} --type merge -p '{"spec":{"confirmation":"${clusterID}"}}'`;
  const what = `KarmadaBackup ${backupRef.name} replaces all data of Karmada ${karmadaRef.name} (etcd cluster ${clusterID}); to confirm it: ${command}`;
  return confirmation === undefined
    ? { phase: 'AwaitingConfirmation', reason: 'AwaitingConfirmation', message: what }
    : {
        ...{ phase: 'AwaitingConfirmation', reason: 'ConfirmationRefused' },
        message: `spec.confirmation is ${confirmation}, and not the ID of the etcd cluster; ${what}`,
      };
}

const RESTORING: RestoreReport = {
  ...{ phase: 'Restoring', reason: 'Restoring' },
  message: 'the backup is restored',
};

/** Value that the annotation of the Karmada must have. */
function valueOf({ metadata, status }: KarmadaRestore): string {
  const { clusterID = '', revision = '' } = status ?? {};
  return backupValue({ restore: metadata.name, clusterID, revision });
}

function afterStart(restore: KarmadaRestore, facts: RestoreFacts): RestorePlan {
  const { record } = facts;
  const value = valueOf(restore);
  if (record?.recovered?.includes(value) === true) return restored(restore, facts);
  const isSwitching = record?.recovery?.from === value && record.recovery.phase === 'switching';
  const isConfirmed = restore.spec.confirmation === restore.status?.clusterID;
  if (!isSwitching && (isDeleted(restore) || !isConfirmed)) return withdrawn(restore, facts, value);
  const message = facts.karmada === undefined ? GONE : progressOf(facts.karmada);
  const status = reportedRestore(restore, {
    report: { ...RESTORING, message },
    ...{ more: {}, now: facts.now },
  });
  const annotations = facts.karmada?.metadata.annotations ?? {};
  const isStarted = isSwitching || annotations[RECOVER_ANNOTATION] === value;
  return {
    status,
    hasFinalizer: facts.karmada !== undefined,
    ...(!isStarted && {
      annotate: {
        [RECOVER_ANNOTATION]: value,
        [PROPAGATION_PAUSED]: restore.metadata.name,
      },
    }),
  };
}

const GONE = 'waits: the Karmada does not exist';

/** What the Karmada reports about itself. */
function progressOf({ status }: Karmada): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.message ? `the backup is restored: ${ready.message}` : RESTORING.message;
}

/** Takes back the annotations, and waits until the operator has deleted what the restore created. */
function withdrawn(
  restore: KarmadaRestore,
  { karmada, record, now }: RestoreFacts,
  value: string,
): RestorePlan {
  const annotations = karmada?.metadata.annotations ?? {};
  const isAnnotated = annotations[RECOVER_ANNOTATION] === value;
  const isRunning = record?.recovery?.from === value;
  const isDone = karmada === undefined || (!isAnnotated && !isRunning);
  const report: RestoreReport = {
    ...{ phase: 'Withdrawn', reason: 'Withdrawn' },
    message: isDone
      ? 'the restore was withdrawn; the data is unchanged'
      : 'the restore is withdrawn; the data is unchanged',
  };
  const finishedAt = restore.status?.finishedAt ?? now;
  return {
    status: reportedRestore(restore, { report, more: isDone ? { finishedAt } : {}, now }),
    hasFinalizer: !isDone,
    ...(isAnnotated && { annotate: withoutOwn(restore, annotations) }),
  };
}

/** The propagation may have been paused by somebody else. */
const withoutOwn = (
  { metadata }: KarmadaRestore,
  annotations: Readonly<Record<string, string>>,
): AnnotationChange => ({
  [RECOVER_ANNOTATION]: null,
  ...(annotations[PROPAGATION_PAUSED] === metadata.name && { [PROPAGATION_PAUSED]: null }),
});

/** The new etcd serves. The propagation continues when the user says so. */
function restored(restore: KarmadaRestore, { karmada, now }: RestoreFacts): RestorePlan {
  const { name, namespace = '' } = restore.metadata;
  const isPaused = karmada?.metadata.annotations?.[PROPAGATION_PAUSED] === name;
  const mayResume = restore.spec.propagation === 'Resumed';
  const finishedAt = restore.status?.finishedAt ?? now;
  const report: RestoreReport = isPaused
    ? {
        ...{ phase: 'PropagationPaused', reason: 'PropagationPaused' },
        message: `the data is restored; nothing is changed in member clusters until you continue: kubectl -n ${namespace} patch karmadarestore ${name} --type merge -p '{"spec":{"propagation":"Resumed"}}'`,
      }
    : { phase: 'Complete', reason: 'Restored', message: 'the data is restored' };
  return {
    status: reportedRestore(restore, { report, more: { finishedAt }, now }),
    hasFinalizer: false,
    ...(isPaused && mayResume && { annotate: { [PROPAGATION_PAUSED]: null } }),
  };
}
