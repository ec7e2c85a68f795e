import type { Reason } from '../../api/reasons/condition-reasons.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { timestamp } from '../status/managed-conditions.ts';

interface Seen {
  /** Undefined while there are no certificates. */
  readonly view: CertificatesView | undefined;
  /** Why certificates are not issued. */
  readonly certificateProblem: Problem | undefined;
  readonly snapshot: Pick<Snapshot, 'now'>;
}

/** Reports the certificates of a control plane. Pure function. */
export function certificatesCondition({
  view,
  certificateProblem,
  snapshot,
}: Seen): ConditionDraft {
  const of = (
    status: 'True' | 'False' | 'Unknown',
    reason: Reason,
    message: string,
  ): ConditionDraft => ({ type: 'CertificatesValid', status, reason, message });
  if (certificateProblem) return of('False', certificateProblem.reason, certificateProblem.message);
  if (view === undefined)
    return of('Unknown', 'Pending', 'the certificates have not been read yet');
  if (view.expiresAt <= snapshot.now)
    return of('False', 'Expired', `a certificate expired at ${timestamp(view.expiresAt)}`);
  if (view.authorityFault !== undefined)
    return of('False', 'CustomAuthorityUnusable', view.authorityFault);
  return of('True', 'Valid', view.remarks.join('; '));
}
