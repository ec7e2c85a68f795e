/** What comes of asking a member of an etcd. */
import type { EtcdListedMember } from './messages.ts';

/** What one member answered, asked by the address of its own pod. */
export interface EtcdMemberAnswer {
  readonly pod: string;
  /** The pod that was asked: its successor of the same name is another one. */
  readonly podUid: string;
  /** Wall clock in milliseconds. */
  readonly at: number;
  /** IDs are hexadecimal, counters decimal. */
  readonly clusterId: string;
  readonly memberId: string;
  /** `0` when it knows of no leader. */
  readonly leaderId: string;
  readonly term: string;
  readonly raftIndex: string;
  readonly isLearner: boolean;
  readonly version: string;
  /** What it finds wrong with itself, alarms among it. */
  readonly errors: readonly string[];
  /** Empty when it is a learner, which is not allowed to tell. */
  readonly members: readonly EtcdListedMember[];
  /** Whether it confirmed the list of members with a quorum. */
  readonly confirmed: boolean;
}

/** A member that did not answer. */
export interface EtcdSilence {
  readonly pod: string;
  readonly podUid: string;
  /** Wall clock in milliseconds. */
  readonly at: number;
  /** Why, in a few words that stay the same as long as the reason does. */
  readonly cause: string;
}

/** What came of asking the members, each at most once. */
export type EtcdResult = EtcdMemberAnswer | EtcdSilence;

export const isAnswer = (result: EtcdResult): result is EtcdMemberAnswer => 'memberId' in result;

/** ID of the leader when a member knows of none. */
export const NO_LEADER = '0';
