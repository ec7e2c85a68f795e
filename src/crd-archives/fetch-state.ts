/** Fetch state of one source and the resulting snapshot for a control plane. Pure functions. */
import type { Problem } from '../api/reasons/problem.ts';
import { backoffMs, spread, type Random } from '../kubernetes/time/clock.ts';
import type { Fetched } from './fetch.ts';
import {
  isInMemory,
  type ArchiveSnapshot,
  type KnownArchive,
  type VerifiedArchive,
} from './outcome.ts';
import { fieldOf, spoken, type FetchedSource } from './source.ts';

export interface FetchState {
  /** Last archive that passed all checks. */
  readonly verified?: KnownArchive;
  /** Error of the last attempt, if it failed. */
  readonly problem?: Problem;
  /** Successful attempts since the operator started. */
  readonly successes: number;
  /** Consecutive failed attempts. */
  readonly failures: number;
}

export const NEW_FETCH_STATE: FetchState = { successes: 0, failures: 0 };

/** Request of a control plane to a job. */
export interface ArchiveRequest {
  /** Number of successes when the spec last changed. */
  readonly since: number;
  /** Whether the control plane has already received an archive of this job. */
  readonly served: boolean;
}

/** Interval in milliseconds after which the operator rereads a ConfigMap or Secret, because it does not watch it. */
export const REREAD_MS = 600_000;

/** Exponential backoff after failures, in milliseconds. */
const PAUSE = { base: 2_000, max: 120_000 };

/** Returns whether each change of the spec requires another attempt. */
const needsFreshArchive = (source: FetchedSource): boolean =>
  source.kind === 'object' || source.always;

/** Returns whether the present archive satisfies the request. */
function isSatisfied(source: FetchedSource, job: FetchState, want: ArchiveRequest): boolean {
  if (!isInMemory(job.verified)) return false;
  return !needsFreshArchive(source) || job.successes > want.since;
}

/**
 * Attempt in progress when a control plane makes a request. `earlier`: its own, from before the spec change; `other`:
 * that of another control plane, which satisfies this request too.
 */
export type RunningAttempt = 'none' | 'earlier' | 'other';

/** Returns whether a new request starts another attempt. */
export function needsAttempt(
  source: FetchedSource,
  job: FetchState,
  want: ArchiveRequest,
  running: RunningAttempt,
): boolean {
  if (isSatisfied(source, job, want)) return false;
  return running === 'none' || (running === 'earlier' && needsFreshArchive(source));
}

/** Returns the job after an attempt. */
export function afterTry(job: FetchState, { problem, ...fetched }: Fetched): FetchState {
  const { verified = job.verified } = fetched;
  const { successes, failures } = job;
  const after = { ...(verified && { verified: keepEqual(job.verified, verified) }) };
  return problem === undefined
    ? { ...after, successes: successes + 1, failures: 0 }
    : { ...after, problem, successes, failures: failures + 1 };
}

/**
 * Returns the pause before the next attempt, in milliseconds. Undefined: a downloaded archive is not downloaded again
 * without a request.
 */
export function fetchPauseMs(
  source: FetchedSource,
  { failures }: Pick<FetchState, 'failures'>,
  random: Random,
): number | undefined {
  if (failures > 0) return backoffMs(failures - 1, PAUSE, random);
  return source.kind === 'object' ? spread(REREAD_MS, random) : undefined;
}

/** Keeps the same object for the same bytes, so that the operator does not render the CRDs again. */
function keepEqual(before: KnownArchive | undefined, found: KnownArchive): KnownArchive {
  return before?.sha256 === found.sha256 && isInMemory(before)
    ? { ...found, archive: before.archive }
    : found;
}

/** Returns the job with the same archive of another source, so that it is in memory once. */
export const withShared = (job: FetchState, archive: VerifiedArchive['archive']): FetchState => ({
  ...job,
  ...(job.verified && { verified: { ...job.verified, archive } }),
});

/** Returns the job without the content of its archive. */
export function withoutContent({ verified, ...job }: FetchState): FetchState {
  if (verified === undefined) return job;
  const { sha256, memoryBytes, version } = verified;
  const known = { sha256, memoryBytes, ...(version !== undefined && { version }) };
  return { ...job, verified: known };
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
  if (isInMemory(verified) && (satisfied || want.served || problem))
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
