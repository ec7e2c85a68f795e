/** Decides how the files of a deleted KarmadaBackup are deleted: pure. */
import type { Reason } from '../../../api/reasons/condition-reasons.ts';
import {
  BACKUP_GROUP,
  type KarmadaBackup,
  type KarmadaRestore,
} from '../../../api/backup/kinds.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import type { Pod } from '../../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../../kubernetes/time/time.ts';
import { endOfPod, type Report } from '../../../features/backups/backup-status.ts';

/** Finalizer of a KarmadaBackup whose files are deleted with it. */
export const FILES_FINALIZER = `${BACKUP_GROUP}/files`;

/** Finalizer of a KarmadaBackup whose Pod is in a remote host cluster. */
export const POD_FINALIZER = `${BACKUP_GROUP}/pod`;

/** Pause before another attempt after a failed one, in milliseconds. */
const RETRY_MS = 60_000;
/** Longest pause while the files are locked, in milliseconds. */
const LOCKED_MS = 3_600_000;

export interface DeletionFacts {
  /** Pod of the backup, which may still write. */
  readonly backupPod: KubernetesObject | undefined;
  readonly deletionPod: KubernetesObject | undefined;
  /** Whether the store exists and the operator knows its image. */
  readonly mayStart: boolean;
  /** Whether the namespace is being deleted, so that no Pod can be created. */
  readonly isNamespaceEnding: boolean;
  /** Restores of the namespace. */
  readonly restores: readonly KarmadaRestore[];
  /** Wall clock in milliseconds. */
  readonly now: number;
}

export type DeletionStep =
  /** Nothing is left to do. */
  | { readonly kind: 'release' }
  | { readonly kind: 'start' }
  | { readonly kind: 'deletePod'; readonly pod: Pod; readonly report: Report }
  | {
      readonly kind: 'wait';
      readonly report: Report;
      /** Time until something can change, in milliseconds. */
      readonly afterMs?: number;
    };

const deleting = (reason: Reason, message: string): Report => ({
  ...{ phase: 'Deleting', reason, message },
});

/** Returns the next step. */
export function nextDeletionStep(backup: KarmadaBackup, facts: DeletionFacts): DeletionStep {
  const { backupPod, isNamespaceEnding } = facts;
  if (isNamespaceEnding || isRefused(backup)) return { kind: 'release' };
  const user = facts.restores.find((restore) => isUsing(restore, backup));
  if (user !== undefined)
    return wait('InUse', `KarmadaRestore ${user.metadata.name} is using the backup`);
  if (backupPod !== undefined)
    return {
      kind: 'deletePod',
      pod: backupPod,
      report: deleting('DeletingFiles', 'the Pod of the backup ends'),
    };
  return waitsForLock(backup, facts) ?? withoutLock(backup, facts);
}

function withoutLock(backup: KarmadaBackup, facts: DeletionFacts): DeletionStep {
  const { deletionPod, mayStart, now } = facts;
  if (deletionPod !== undefined) return withPod(deletionPod, now);
  if (!mayStart)
    return wait(
      'DeletionFailed',
      `KarmadaBackupStore ${backup.spec.storeRef.name} not found, or the operator runs without the flag --backup-image; without the finalizer ${FILES_FINALIZER} the files stay`,
    );
  return { kind: 'start' };
}

function waitsForLock({ status }: KarmadaBackup, { now }: DeletionFacts): DeletionStep | undefined {
  const { lockedUntil: until = '' } = status ?? {};
  const ms = parseTime(until) - now;
  return ms > 0 ? locked(until, ms) : undefined;
}

const locked = (until: string, ms: number): DeletionStep => ({
  ...wait(
    'ObjectsLocked',
    `the object lock of the store (spec.s3.objectLock) keeps the files until ${until}; the operator deletes them then; without the finalizer ${FILES_FINALIZER} they stay`,
  ),
  afterMs: Math.min(ms + 1_000, LOCKED_MS),
});

const wait = (reason: Reason, message: string): DeletionStep & { readonly kind: 'wait' } => ({
  kind: 'wait',
  report: deleting(reason, message),
});

/** A backup that was not taken has no files. */
const isRefused = ({ status }: KarmadaBackup): boolean =>
  status?.conditions?.some(({ reason }) => reason === 'NotSupported') === true;

/** Whether a restore reads the files of a backup. */
export const isUsing = ({ spec, status }: KarmadaRestore, { metadata }: KarmadaBackup): boolean =>
  spec.backupRef.name === metadata.name && status?.phase === 'Restoring';

function withPod(pod: Pod, now: number): DeletionStep {
  const { phase, message } = endOfPod(pod);
  if (phase === 'Succeeded') return { kind: 'release' };
  if (phase !== 'Failed')
    return wait('DeletingFiles', `the files of the backup are deleted${message}`);
  const report = deleting(
    'DeletionFailed',
    `the files of the backup could not be deleted: ${message}`,
  );
  const age = now - parseTime(pod.metadata.creationTimestamp);
  return age < RETRY_MS ? { kind: 'wait', report } : { kind: 'deletePod', pod, report };
}
