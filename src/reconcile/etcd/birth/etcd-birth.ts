import type { Problem } from '../../../api/problem.ts';
import type { EtcdMembership } from '../../../components/component.ts';
import type { Hold } from '../../hold.ts';

/** What a reconcile knows of the birth of an instance's etcd. */
export interface EtcdBirth {
  readonly membership: EtcdMembership;
  /** The StatefulSet is not written now, and what it says counts as what is wanted. */
  readonly isKept?: true;
  /** Why the StatefulSet is not made. */
  readonly hold?: Hold;
  /** Data that is lost. */
  readonly problem?: Problem;
  /** What the first API server waits for. */
  readonly awaited?: string;
  /** A pod that may not found the cluster takes the place of one that may: it is replaced when it does not run. */
  readonly isFounding?: true;
  /** Something could not be read or written: look again soon. */
  readonly isUnsure?: true;
}
