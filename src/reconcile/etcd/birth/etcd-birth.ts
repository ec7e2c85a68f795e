import type { Problem } from '../../../api/problem.ts';
import type { EtcdMembership } from '../../../components/component.ts';
import type { BlockedChange } from '../../blocked-change.ts';

/** Result of the bootstrap decision for the etcd of a control plane. */
export interface EtcdBirth {
  readonly membership: EtcdMembership;
  /** The operator does not write the StatefulSet now; its live template counts as desired. */
  readonly isKept?: true;
  /** Reason why the StatefulSet is not created. */
  readonly blockedChange?: BlockedChange;
  /** Lost data. */
  readonly problem?: Problem;
  /** What new Deployments wait for. */
  readonly awaited?: string;
  /**
   * Members may still start the new cluster. A Pod that does not run and cannot start it is replaced with one that
   * can.
   */
  readonly isFounding?: true;
  /** A read or write failed; requeue soon. */
  readonly isUnsure?: true;
}
