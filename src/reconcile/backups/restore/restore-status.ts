/** Status of a KarmadaRestore: pure. */
import type {
  KarmadaRestore,
  KarmadaRestoreStatus,
  RestorePhase,
} from '../../../api/backup/kinds.ts';
import type { ObjectCondition } from '../../../kubernetes/object.ts';

/** A fact that the condition reports. */
export interface RestoreReport {
  readonly phase: RestorePhase;
  readonly reason: string;
  readonly message: string;
}

const LONGEST_MESSAGE = 1_000;

const VALUES: Readonly<Record<RestorePhase, 'True' | 'False' | 'Unknown'>> = {
  Pending: 'False',
  AwaitingConfirmation: 'False',
  Restoring: 'Unknown',
  PropagationPaused: 'True',
  Complete: 'True',
  Withdrawn: 'False',
};

/** Status with the phase and the condition Restored. @param now RFC 3339 */
export function reportedRestore(
  { metadata: { generation }, status }: KarmadaRestore,
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
  const value = VALUES[phase];
  const former = status?.conditions?.find(({ type }) => type === 'Restored');
  const since = former?.status === value ? former.lastTransitionTime : undefined;
  const condition: ObjectCondition = {
    ...{ type: 'Restored', status: value, reason, message: message.slice(0, LONGEST_MESSAGE) },
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: since ?? now,
  };
  return { ...status, ...more, phase, conditions: [condition] };
}
