/** Fetch state of the Karmada CRDs of a control plane, as plain values for plan and status. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { CrdArchive } from '../controlplane/crds.ts';

export type ArchiveSnapshot =
  /**
   * With a problem, `archive` is the previous one, because fetching the requested archive failed. With a warning, it is
   * that of another patch release.
   */
  | { readonly archive: CrdArchive; readonly problem?: Problem; readonly warning?: Problem }
  | { readonly problem: Problem }
  /** The first fetch is in progress. */
  | { readonly pending: string };

export function archiveProblem(snapshot: ArchiveSnapshot): Problem | undefined {
  return 'problem' in snapshot ? snapshot.problem : undefined;
}

/** Explains why no archive is available. Undefined if there is one. */
export function lackOfArchive(snapshot: ArchiveSnapshot): string | undefined {
  if ('archive' in snapshot) return undefined;
  return 'pending' in snapshot ? snapshot.pending : snapshot.problem.message;
}

/** Archive that passed all checks. */
export interface VerifiedArchive {
  readonly archive: CrdArchive;
  /** SHA-256 of the archive, lower-case hex. */
  readonly sha256: string;
  /** About the memory that `archive` needs, in bytes. */
  readonly memoryBytes: number;
  /** Version of the source, to detect changes: `uid/resourceVersion` of an object. Absent for a download. */
  readonly version?: string;
}

/** Archive that was verified. The operator removes its content from memory if others need it, and then fetches it again. */
export type KnownArchive = Omit<VerifiedArchive, 'archive'> & Partial<VerifiedArchive>;

export const isInMemory = (known: KnownArchive | undefined): known is VerifiedArchive =>
  known?.archive !== undefined;

/** Failed attempt. The message is for the status: field, cause and action, without secrets. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly problem: Problem;

  constructor(reason: Reason, message: string) {
    super(message);
    this.problem = { reason, message };
  }
}
