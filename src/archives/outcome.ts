/** What is known of an instance's CRDs: plain values, for the plan and for the status. */
import type { Problem } from '../api/problem.ts';
import type { CrdArchive } from '../controlplane/crds.ts';

export type ArchiveSnapshot =
  /** With a problem this is the archive used before, since the one asked for cannot be had. */
  | { readonly archive: CrdArchive; readonly problem?: Problem }
  | { readonly problem: Problem }
  /** It is being fetched for the first time. */
  | { readonly pending: string };

export function problemOf(snapshot: ArchiveSnapshot): Problem | undefined {
  return 'problem' in snapshot ? snapshot.problem : undefined;
}

/** Why there is no archive; undefined when there is one. */
export function lackOfArchive(snapshot: ArchiveSnapshot): string | undefined {
  if ('archive' in snapshot) return undefined;
  return 'pending' in snapshot ? snapshot.pending : snapshot.problem.message;
}

/** An archive that passed every check. */
export interface VerifiedArchive {
  readonly archive: CrdArchive;
  /** SHA-256 of the archive's bytes, lower-case hex. */
  readonly sha256: string;
  /** What tells whether the source has changed, where the source has such a thing. */
  readonly version?: string;
}

/** A try failed; the message is for the status: field, cause and remedy, nothing secret. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly problem: Problem;

  constructor(reason: string, message: string) {
    super(message);
    this.problem = { reason, message };
  }
}
