/**
 * Record of the rotations of one control plane, in an annotation of its CA backup Secret: pure. The Secret also has the
 * private keys, so that record and keys are lost or restored together. Whatever is in the certificate Secrets, the
 * active CA is one of the two that the record names.
 */
import type { RotationAuthority, RotationPhase } from './authority.ts';

/** Annotation of the Secret `N(ca-backup)`. */
export const ROTATION_ANNOTATION = 'operator.karmada.io/rotation';

/** Rotation of one authority. Times are wall clock in milliseconds; CAs and keys are SHA-256 fingerprints. */
export interface Rotation {
  readonly authority: RotationAuthority;
  readonly phase: RotationPhase;
  /** Start of the phase. */
  readonly since: number;
  /** A: what is replaced. */
  readonly from: string;
  /** B: what replaces it. */
  readonly to: string;
  /** C: the successor of B, from the phase Completing on; absent if the user provides B. */
  readonly next?: string;
  /** The Secret of the custom CA has B, and no CA gets a successor. */
  readonly custom?: true;
  /** When all Secrets had the content of the phase; absent before that. */
  readonly writtenAt?: number;
  /** The rotation was aborted after B had signed: A signs again, and then the rotation ends. Only in Preparing. */
  readonly returns?: true;
  /** When Switching began that was aborted: what started before that has never used B. Only with `returns`. */
  readonly switchedAt?: number;
  /**
   * Each Pod was proven to use what B signed, and the certificates have not changed since. From Completing on: its abort changes only
   * what is trusted, so that no Pod must restart to prove it again.
   */
  readonly used?: true;
  /** awaited: only the confirmation of a user ends the overlap. confirmed: a user has given it, or the time of the overlap is over. */
  readonly completion?: 'awaited' | 'confirmed';
}

/** Since when all Secrets contain a successor that does not sign yet. */
export interface Publication {
  readonly authority: RotationAuthority;
  /** SHA-256 fingerprint. */
  readonly root: string;
  /** Wall clock in milliseconds. */
  readonly at: number;
}

export interface RotationRecord {
  /** Rotations under way; empty at rest. All belong to one request. */
  readonly rotations: readonly Rotation[];
  /** Successors that were published by the last rotation of their authority. */
  readonly published: readonly Publication[];
  /** Requests that were executed, such as `rotate=ca/1`, the newest last. Each is executed once. */
  readonly executed: readonly string[];
}

export const EMPTY_RECORD: RotationRecord = { rotations: [], published: [], executed: [] };

/** Maximum number of executed requests in the record. Older ones are forgotten, so that the annotation stays small. */
export const MAX_EXECUTED = 32;

/** Returns the record with another executed request. */
export const withExecuted = (record: RotationRecord, request: string): RotationRecord => ({
  ...record,
  executed: [...record.executed.filter((one) => one !== request), request].slice(-MAX_EXECUTED),
});

/** Returns the record with another state of a rotation; `undefined` ends it. */
export const withRotation = (
  record: RotationRecord,
  authority: RotationAuthority,
  rotation: Rotation | undefined,
): RotationRecord => ({
  ...record,
  rotations: record.rotations.flatMap((one) =>
    one.authority === authority ? (rotation ?? []) : one,
  ),
});

/** Returns the record with the time at which a successor was published, in place of an earlier one. */
export const withPublication = (
  record: RotationRecord,
  publication: Publication,
): RotationRecord => ({
  ...record,
  published: [
    ...record.published.filter(({ authority }) => authority !== publication.authority),
    publication,
  ],
});

/** Returns since when all Secrets contain the new root of a rotation. @returns undefined if the record does not know it */
export const publicationOf = (
  { published }: Pick<RotationRecord, 'published'>,
  { authority, to }: Pick<Rotation, 'authority' | 'to'>,
): Publication | undefined =>
  published.find((one) => one.authority === authority && one.root === to);

const timeText = (ms: number): string => new Date(ms).toISOString();

/** Formats the value of the annotation. */
export function formatRecord({ rotations, published, executed }: RotationRecord): string {
  return JSON.stringify({
    rotations: rotations.map((rotation) => ({
      ...rotation,
      since: timeText(rotation.since),
      ...(rotation.writtenAt !== undefined && { writtenAt: timeText(rotation.writtenAt) }),
      ...(rotation.switchedAt !== undefined && { switchedAt: timeText(rotation.switchedAt) }),
    })),
    published: published.map((one) => ({ ...one, at: timeText(one.at) })),
    executed,
  });
}
