/** Steps that change the members of an etcd. Exactly one is executed at a time. */
import type { Problem } from '../../api/reasons/problem.ts';
import type { MemberClaim, MemberFacts, MemberPod } from './facts.ts';

export type MemberStep =
  /** The members are as desired. */
  | { readonly kind: 'none' }
  /**
   * Nothing can be done now. `isJoining`: a learner is in the cluster, so no other change may start. `dueAt`: wall clock
   * in milliseconds before which only an event changes that.
   */
  | {
      readonly kind: 'wait';
      readonly message: string;
      readonly isJoining: boolean;
      readonly dueAt?: number;
    }
  /** Only a user can continue. */
  | ({ readonly kind: 'blocked' } & Problem)
  /** Change the number of Pods. */
  | { readonly kind: 'scale'; readonly replicas: number; readonly message: string }
  /** Add the member of a Pod to the cluster, without a vote. */
  | { readonly kind: 'addLearner'; readonly pod: MemberPod; readonly message: string }
  /** Tell a Pod without data which cluster to join. `claim`: its PVC, which gets data from now on. */
  | {
      readonly kind: 'allowJoin';
      readonly pod: MemberPod;
      readonly join: string;
      readonly members: number;
      readonly claim?: MemberClaim;
      readonly message: string;
    }
  /** A Pod must not join again if it loses its data. */
  | { readonly kind: 'endJoin'; readonly pod: MemberPod; readonly message: string }
  | { readonly kind: 'promote'; readonly memberId: string; readonly message: string }
  | {
      readonly kind: 'moveLeader';
      /** Pod of the leader. */
      readonly from: string;
      /** Member that becomes the leader. */
      readonly to: string;
      readonly message: string;
    }
  /** Change the URLs at which other members connect to a voter. */
  | {
      readonly kind: 'updatePeerURLs';
      readonly memberId: string;
      readonly peerURLs: readonly string[];
      readonly message: string;
    }
  /** `pod`, `claim`: those of a member that is replaced. */
  | {
      readonly kind: 'removeMember';
      readonly memberId: string;
      readonly pod?: MemberPod;
      readonly claim?: MemberClaim;
      readonly message: string;
    }
  /** Delete a Pod that is not a member, and the PVC with the data of its removed member. */
  | {
      readonly kind: 'recreate';
      readonly pod: MemberPod;
      readonly claim?: MemberClaim;
      readonly message: string;
    }
  /** Delete the PVC of a removed member. */
  | { readonly kind: 'deleteClaim'; readonly claim: MemberClaim; readonly message: string };

/** A rule answers with a step, or leaves the decision to the next one. */
export type Rule = (facts: MemberFacts) => MemberStep | undefined;

/** A step that changes nothing now. Other changes may be made meanwhile. */
export const wait = (message: string): MemberStep => ({ kind: 'wait', message, isJoining: false });

/** Like `wait`, until a time or an event. @param dueAt wall clock in milliseconds; Infinity for an event only */
export const waitUntil = (dueAt: number, message: string): MemberStep => ({
  kind: 'wait',
  message,
  isJoining: false,
  dueAt,
});

/** Whether a step changes something. */
export const isWrite = ({ kind }: MemberStep): boolean =>
  kind !== 'none' && kind !== 'wait' && kind !== 'blocked';
