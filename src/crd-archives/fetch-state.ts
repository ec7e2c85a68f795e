/** Fetch state of one source and the resulting snapshot for a control plane. Pure functions. */
import type { Problem } from '../api/problem.ts';
import type { Fetched } from './fetch.ts';
import type { ArchiveSnapshot, VerifiedArchive } from './outcome.ts';
import { fieldOf, spoken, type FetchedSource } from './source.ts';

export interface FetchState {
  readonly running: boolean;
  /** Last archive that passed all checks. */
  readonly verified?: VerifiedArchive;
  /** Error of the last attempt, if it failed. */
  readonly problem?: Problem;
  /** Successful attempts since the operator started. */
  readonly successes: number;
  /** Consecutive failed attempts. */
  readonly failures: number;
  /** Earliest time of the next attempt, in monotonic milliseconds. */
  readonly notBefore: number;
  /** Time of the last success, in monotonic milliseconds. */
  readonly readAt: number;
}

export const NEW_FETCH_STATE: FetchState = {
  running: false,
  successes: 0,
  failures: 0,
  notBefore: 0,
  readAt: 0,
};

/** Request of a control plane to a job. */
export interface ArchiveRequest {
  /** Number of successes when the spec last changed. */
  readonly since: number;
  /** Whether the control plane has already received an archive of this job. */
  readonly served: boolean;
}

/** Interval in milliseconds after which the operator rereads a ConfigMap or Secret, because it does not watch it. */
export const REREAD_MS = 600_000;

/** Returns whether the present archive satisfies the request. */
function isSatisfied(source: FetchedSource, job: FetchState, want: ArchiveRequest): boolean {
  if (job.verified === undefined) return false;
  const fresh = source.kind === 'object' || source.always;
  return !fresh || job.successes > want.since;
}

/** Returns whether the operator starts an attempt now. */
export function isDue(
  source: FetchedSource,
  job: FetchState,
  want: ArchiveRequest,
  now: number,
): boolean {
  if (job.running || now < job.notBefore) return false;
  const old = source.kind === 'object' && now - job.readAt >= REREAD_MS;
  return old || !isSatisfied(source, job, want);
}

/**
 * Returns the job after an attempt.
 * @param now monotonic milliseconds
 * @param pause milliseconds until the next attempt if this one failed
 */
export function afterTry(
  job: FetchState,
  fetched: Fetched,
  now: number,
  pause: number,
): FetchState {
  const { verified = job.verified, problem } = fetched;
  const { successes, failures, readAt } = job;
  const after = {
    running: false,
    ...(verified && { verified: keepEqual(job.verified, verified) }),
  };
  return problem === undefined
    ? { ...after, successes: successes + 1, failures: 0, notBefore: 0, readAt: now }
    : { ...after, problem, successes, failures: failures + 1, notBefore: now + pause, readAt };
}

/** Keeps the same object for the same bytes, so that the operator does not render the CRDs again. */
function keepEqual(before: VerifiedArchive | undefined, found: VerifiedArchive): VerifiedArchive {
  return before?.sha256 === found.sha256 ? { ...found, archive: before.archive } : found;
}

/** Returns the snapshot of a job for one control plane. */
export function snapshotOf(
  source: FetchedSource,
  job: FetchState,
  want: ArchiveRequest,
): ArchiveSnapshot {
  const { verified } = job;
  const satisfied = isSatisfied(source, job, want);
  // A later failed download for another control plane does not affect this one. Objects are always reread.
  const problem = satisfied && source.kind === 'http' ? undefined : toldProblem(job);
  if (verified && (satisfied || want.served || problem))
    return { archive: verified.archive, ...(problem && { problem }) };
  if (problem) return { problem };
  return {
    pending: `fetching the Karmada CRDs from ${spoken(source)} (${fieldOf(source)})`,
  };
}

function toldProblem({ problem, failures }: FetchState): Problem | undefined {
  if (problem === undefined || failures < 2) return problem;
  return { ...problem, message: `${problem.message} (${failures} failed attempts)` };
}
