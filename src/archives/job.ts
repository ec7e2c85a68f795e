/** How far the fetching of one source is, and what follows from it for an instance: pure. */
import type { Problem } from '../api/problem.ts';
import type { Fetched } from './fetch.ts';
import type { ArchiveSnapshot, VerifiedArchive } from './outcome.ts';
import { fieldOf, spoken, type FetchedSource } from './source.ts';

export interface Job {
  readonly running: boolean;
  /** The last archive that passed every check. */
  readonly verified?: VerifiedArchive;
  /** Why the last try failed. */
  readonly problem?: Problem;
  /** Tries that brought what was asked for, since the operator started. */
  readonly successes: number;
  /** Tries that failed since the last that did not. */
  readonly failures: number;
  /** Monotonic milliseconds before which it is not tried again. */
  readonly notBefore: number;
  /** Monotonic milliseconds of the last success. */
  readonly readAt: number;
}

export const NEW_JOB: Job = {
  running: false,
  successes: 0,
  failures: 0,
  notBefore: 0,
  readAt: 0,
};

/** What an instance asks of a job. */
export interface Want {
  /** Successes there were when the instance's spec last changed. */
  readonly since: number;
  /** Whether the instance has been given an archive of this job. */
  readonly served: boolean;
}

/** An object is read again after this time, in milliseconds: nobody tells when it changes. */
export const REREAD_MS = 600_000;

/** Whether what is there is what the instance asks for. */
function isSatisfied(source: FetchedSource, job: Job, want: Want): boolean {
  if (job.verified === undefined) return false;
  const fresh = source.kind === 'object' || source.always;
  return !fresh || job.successes > want.since;
}

/** Whether to try now. */
export function isDue(source: FetchedSource, job: Job, want: Want, now: number): boolean {
  if (job.running || now < job.notBefore) return false;
  const old = source.kind === 'object' && now - job.readAt >= REREAD_MS;
  return old || !isSatisfied(source, job, want);
}

/** The job after a try. @param pause milliseconds until the next try, should this one have failed */
export function afterTry(job: Job, fetched: Fetched, now: number, pause: number): Job {
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

/** The same bytes stay the same object, so that nothing is rendered anew for them. */
function keepEqual(before: VerifiedArchive | undefined, found: VerifiedArchive): VerifiedArchive {
  return before?.sha256 === found.sha256 ? { ...found, archive: before.archive } : found;
}

/** What an instance is told. */
export function snapshotOf(source: FetchedSource, job: Job, want: Want): ArchiveSnapshot {
  const { verified } = job;
  const satisfied = isSatisfied(source, job, want);
  // What goes wrong for another instance afterwards is not this one's concern; an object is read anew.
  const problem = satisfied && source.kind === 'http' ? undefined : toldProblem(job);
  if (verified && (satisfied || want.served || problem))
    return { archive: verified.archive, ...(problem && { problem }) };
  if (problem) return { problem };
  return {
    pending: `Karmada's CRDs are being fetched from ${spoken(source)} (${fieldOf(source)})`,
  };
}

function toldProblem({ problem, failures }: Job): Problem | undefined {
  if (problem === undefined || failures < 2) return problem;
  return { ...problem, message: `${problem.message} (tried ${failures} times)` };
}
