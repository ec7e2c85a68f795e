/** Results of probing one etcd member. */
import type { EtcdListedMember } from './messages.ts';

/** Response of an etcd member, probed at the address of its own Pod. */
export interface EtcdMemberStatus {
  readonly pod: string;
  /** UID of the probed Pod. A recreated Pod with the same name has another UID. */
  readonly podUid: string;
  /** Wall clock in milliseconds. */
  readonly at: number;
  /** IDs are hexadecimal, counters decimal. */
  readonly clusterId: string;
  readonly memberId: string;
  /** `0` when the member has no leader. */
  readonly leaderId: string;
  readonly term: string;
  readonly raftIndex: string;
  readonly isLearner: boolean;
  readonly version: string;
  /** Errors that the member reports in its status, including alarms. */
  readonly errors: readonly string[];
  /** Member list. Empty for a learner, because etcd rejects that request on learners. */
  readonly members: readonly EtcdListedMember[];
  /** Whether a quorum confirmed the member list (linearizable read). */
  readonly confirmed: boolean;
}

/** A failed probe: the etcd member did not respond. */
export interface EtcdMemberFailure {
  readonly pod: string;
  readonly podUid: string;
  /** Wall clock in milliseconds. */
  readonly at: number;
  /** Short reason. Its text is constant while the reason is the same, so that messages do not change. */
  readonly cause: string;
}

/** Result of one probe. */
export type EtcdResult = EtcdMemberStatus | EtcdMemberFailure;

export const isAnswer = (result: EtcdResult): result is EtcdMemberStatus => 'memberId' in result;

/** Leader ID that a member reports when it has no leader. */
export const NO_LEADER = '0';
