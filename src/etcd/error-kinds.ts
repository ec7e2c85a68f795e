/** Pure functions that recognize the errors of etcd and derive what a caller may do next. */
import { keysOf } from '../kubernetes/objects/records.ts';
import { EtcdConnectionError, EtcdStatusError, GRPC } from './errors.ts';

/**
 * What the caller does after a failed call:
 * - `retry`: etcd executed nothing, and the same request may succeed later.
 * - `observe`: etcd executed nothing, because its state differs from what the caller assumed. Read the state, then
 *   decide again.
 * - `verify`: etcd may have executed the request or may still do so. Read the state before the next change.
 * - `fail`: the same request never succeeds without another action, often by a user.
 */
export type NextStep = 'retry' | 'observe' | 'verify' | 'fail';

interface Known {
  /** gRPC status codes of the supported versions of etcd. */
  readonly status: readonly number[];
  /** Whole error text of etcd. */
  readonly text: string;
  readonly next: NextStep;
}

const known = (status: number | readonly number[], text: string, next: NextStep): Known => ({
  status: [status].flat(),
  text: `etcdserver: ${text}`,
  next,
});

const { unknown, failedPrecondition, unavailable } = GRPC;

/**
 * Errors that the operator recognizes, with the texts of `rpctypes/error.go` of etcd 3.6. etcd sends two of them with
 * the status `unknown` instead of the documented one (`toGRPCErrorMap` in `v3rpc/util.go`).
 */
const KNOWN = {
  /** The learner has less than 90 % of the log of the leader, or has not started. */
  learnerNotReady: known(
    failedPrecondition,
    'can only promote a learner member which is in sync with leader',
    'retry',
  ),
  /** Too few voters have been connected for 5 s, so that the change would endanger the quorum. */
  unhealthyCluster: known(unavailable, 'unhealthy cluster', 'retry'),
  /** A follower that forwards a promotion can lose the leader after the leader has promoted the learner. */
  noLeader: known(unavailable, 'no leader', 'verify'),
  tooManyRequests: known([unknown, GRPC.resourceExhausted], 'too many requests', 'retry'),
  /** A learner exists already; etcd allows `--max-learners`, one by default. */
  tooManyLearners: known(failedPrecondition, 'too many learner members in cluster', 'observe'),
  /** A quorum of the remaining members has never started. Also the error for the removal of the last member. */
  notEnoughStarted: known(
    [unknown, failedPrecondition],
    're-configuration failed due to not enough started members',
    'observe',
  ),
  /** The ID is not in the member list, or was removed from it. */
  memberNotFound: known(GRPC.notFound, 'member not found', 'observe'),
  memberExists: known(failedPrecondition, 'member ID already exist', 'observe'),
  peerURLExists: known(failedPrecondition, 'Peer URLs already exists', 'observe'),
  /** The member to promote is a voter. */
  notLearner: known(failedPrecondition, 'can only promote a learner member', 'observe'),
  /** The queried member is not the leader. */
  notLeader: known(failedPrecondition, 'not leader', 'observe'),
  /** The member to lead is a learner or not in the member list. */
  badTransferee: known(failedPrecondition, 'bad leader transferee', 'observe'),
  /** The queried member is a learner. */
  queriedLearner: known(
    [failedPrecondition, unavailable],
    'rpc not supported for learner',
    'observe',
  ),
  compacted: known(GRPC.outOfRange, 'mvcc: required revision has been compacted', 'observe'),
  futureRevision: known(GRPC.outOfRange, 'mvcc: required revision is a future revision', 'observe'),
  noSpace: known(GRPC.resourceExhausted, 'mvcc: database space exceeded', 'fail'),
  corrupt: known(GRPC.dataLoss, 'corrupt cluster', 'fail'),
  badURL: known(GRPC.invalidArgument, 'given member URLs are invalid', 'fail'),
} as const;

/** Name of an error that the operator recognizes. */
export type EtcdErrorKind = keyof typeof KNOWN;

const KINDS = keysOf(KNOWN);

/** Recognizes an error of etcd by its gRPC status and its text. @returns undefined for all other errors */
export function errorKindOf(error: unknown): EtcdErrorKind | undefined {
  if (!(error instanceof EtcdStatusError)) return undefined;
  return KINDS.find((kind) => {
    const { status, text }: Known = KNOWN[kind];
    return text === error.message && status.includes(error.status);
  });
}

/** Status codes of requests that etcd rejected before it executed them, for errors without a kind. */
const REJECTED: ReadonlySet<number> = new Set([
  GRPC.invalidArgument,
  GRPC.notFound,
  GRPC.permissionDenied,
  GRPC.failedPrecondition,
  GRPC.outOfRange,
  GRPC.unimplemented,
  GRPC.unauthenticated,
]);

/**
 * Derives the next step after a failed call.
 * @param error of a call of the etcd client; all errors of other sources are `verify`
 */
export function nextStepOf(error: unknown): NextStep {
  const kind = errorKindOf(error);
  if (kind !== undefined) return KNOWN[kind].next;
  if (error instanceof EtcdStatusError) return REJECTED.has(error.status) ? 'fail' : 'verify';
  // Before the stage `answer` the client has sent no request.
  if (error instanceof EtcdConnectionError && error.failure.stage !== 'answer') return 'retry';
  return 'verify';
}
