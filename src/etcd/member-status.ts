/** Results of probing one etcd member. */
import type { EtcdAlarm, EtcdListedMember, EtcdStatus } from './messages.ts';

/** Response of an etcd member, probed at the address of its own Pod. */
export interface EtcdMemberStatus extends EtcdStatus {
  readonly pod: string;
  /** UID of the probed Pod. A recreated Pod with the same name has another UID. */
  readonly podUid: string;
  /** Whether the Pod was ready when the observer began to probe the member; absent in other probes. */
  readonly podReady?: boolean;
  /** Wall clock in milliseconds. */
  readonly at: number;
  /** Alarms of the whole cluster, with the member that raised each. */
  readonly alarms: readonly EtcdAlarm[];
  /** Member list. Empty for a learner, because etcd rejects that request on learners. */
  readonly members: readonly EtcdListedMember[];
  /** Whether a quorum confirmed the member list (linearizable read). */
  readonly confirmed: boolean;
}

/** A failed probe: the etcd member did not respond. */
export interface EtcdMemberFailure {
  readonly pod: string;
  readonly podUid: string;
  /** As in EtcdMemberStatus. */
  readonly podReady?: boolean;
  /** Wall clock in milliseconds. */
  readonly at: number;
  /** Short reason. Its text is constant while the reason is the same, so that messages do not change. */
  readonly cause: string;
  /** Wall clock in milliseconds of the last response of this member; absent if this process has seen none. */
  readonly respondedAt?: number;
}

/** Result of one probe. */
export type EtcdResult = EtcdMemberStatus | EtcdMemberFailure;

export const isAnswer = (result: EtcdResult): result is EtcdMemberStatus => 'memberId' in result;

/** Leader ID that a member reports when it has no leader. */
export const NO_LEADER = '0';

const ALARMS = ['NOSPACE', 'CORRUPT'] as const;

/** An alarm in the errors of a status, such as `memberID:123 alarm:NOSPACE`. */
const ALARM = /^memberID:(\d{1,20})\s+alarm:(\w+)/;

/**
 * Reads the alarms from the errors of a status. The list of alarms has the same, but etcd sends a request for it
 * through Raft, which adds an entry to the log and needs a quorum.
 */
export const alarmsIn = (errors: readonly string[]): readonly EtcdAlarm[] =>
  errors.flatMap((error) => {
    const [, id, name] = ALARM.exec(error) ?? [];
    if (id === undefined || name === undefined) return [];
    return [
      {
        memberId: BigInt(id).toString(16),
        alarm: ALARMS.find((alarm) => alarm === name) ?? 'UNKNOWN',
      },
    ];
  });
