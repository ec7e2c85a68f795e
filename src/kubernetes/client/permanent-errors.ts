import { ApiError, isStatus } from './errors.ts';

/** Permanent error of a write: the API server rejects each retry until something else changes. */
export type PermanentError =
  /** Another client created the object concurrently, and its manager owns fields. */
  | { readonly outcome: 'conflict'; readonly message: string }
  /** A field is immutable; the object must be recreated. */
  | { readonly outcome: 'immutable'; readonly fields: readonly string[]; readonly message: string }
  /** The object is invalid. */
  | { readonly outcome: 'invalid'; readonly fields: readonly string[]; readonly message: string };

const IMMUTABLE =
  /immutable|may not change|may not be changed|cannot change|updates may not change/i;

/** Such as `updates to statefulset spec for fields other than 'replicas', … are forbidden`. */
const FORBIDDEN_UPDATE = [/updates to ./i, /. (?:are forbidden|for fields other than)/i] as const;

const isImmutable = (message: string): boolean =>
  IMMUTABLE.test(message) || FORBIDDEN_UPDATE.every((part) => part.test(message));

/**
 * Converts an error of a write to a permanent error.
 * @throws the error itself when a retry may succeed
 */
export function permanentErrorOf(error: unknown): PermanentError {
  if (isFieldConflict(error)) return { outcome: 'conflict', message: error.message };
  if (!(error instanceof ApiError) || !error.permanent) throw error;
  const causes = error.details.causes ?? [];
  // The object was recreated with another uid, so the next attempt reads it again.
  if (causes.some((cause) => cause.field === 'metadata.uid')) throw error;
  const frozen = causes.filter((cause) => isImmutable(cause.message ?? ''));
  const frozenFields = frozen.flatMap((cause) => cause.field ?? []);
  if (frozen.length > 0 || (causes.length === 0 && isImmutable(error.message))) {
    return { outcome: 'immutable', fields: frozenFields, message: error.message };
  }
  const fields = causes.flatMap((cause) => cause.field ?? []);
  return { outcome: 'invalid', fields, message: error.message };
}

function isFieldConflict(error: unknown): error is ApiError {
  if (!isStatus(error, 409)) return false;
  return (error.details.causes ?? []).some((cause) => cause.reason === 'FieldManagerConflict');
}
