/** Status of a KarmadaRestore: pure. */
import type { Reason } from '../../../api/reasons/condition-reasons.ts';
import type {
  KarmadaRestore,
  KarmadaRestoreStatus,
  RestorePhase,
} from '../../../api/backup/kinds.ts';
import { nextCondition } from '../../../features/backups/next-condition.ts';

/** A fact that the condition reports. */
export interface RestoreReport {
  readonly phase: RestorePhase;
  readonly reason: Reason;
  readonly message: string;
}

const VALUES: Readonly<Record<RestorePhase, 'True' | 'False' | 'Unknown'>> = {
  Pending: 'False',
  AwaitingConfirmation: 'False',
  Restoring: 'Unknown',
  PropagationPaused: 'True',
  Complete: 'True',
  Withdrawn: 'False',
};

/** Type of the condition. */
export const RESTORED = 'Restored';

/** Status with the phase and the condition Restored. @param now RFC 3339 */
export function reportedRestore(
  restore: KarmadaRestore,
  {
    report,
    more,
    now,
  }: {
    readonly report: RestoreReport;
    readonly more: KarmadaRestoreStatus;
    readonly now: string;
  },
): KarmadaRestoreStatus {
  const { phase, reason, message } = report;
  const found = { type: RESTORED, status: VALUES[phase], reason, message };
  return { ...restore.status, ...more, phase, conditions: [nextCondition(restore, found, now)] };
}

/** Time of the end, which stays. @param now RFC 3339 */
export const finished = ({ status }: KarmadaRestore, now: string): KarmadaRestoreStatus => ({
  finishedAt: status?.finishedAt ?? now,
});

/** The end of a former withdrawal does not count any more. */
export const withoutEnd = ({ status, ...restore }: KarmadaRestore): KarmadaRestore =>
  status === undefined ? restore : { ...restore, status: withoutTime(status) };

const withoutTime = ({ finishedAt: _, ...status }: KarmadaRestoreStatus): KarmadaRestoreStatus =>
  status;

export const WITHDRAWN: RestoreReport = {
  phase: 'Withdrawn',
  reason: 'Withdrawn',
  message: 'the restore was withdrawn; the data is unchanged',
};

export const OVERTAKEN: RestoreReport = {
  phase: 'Withdrawn',
  reason: 'OtherRecovery',
  message:
    'another recovery has replaced the etcd cluster that was confirmed, and this restore has changed nothing; to restore the backup, create another KarmadaRestore',
};
