import { ApiError, isStatus } from './errors.ts';

/** A write that the API server will refuse again and again until something else changes. */
export type Refusal =
  /** Another manager owns fields of an object that appeared while we made it. */
  | { readonly outcome: 'conflict'; readonly message: string }
  /** A field may not change once it is set; the object has to be made anew. */
  | { readonly outcome: 'immutable'; readonly fields: readonly string[]; readonly message: string }
  /** The object itself is wrong. */
  | { readonly outcome: 'invalid'; readonly fields: readonly string[]; readonly message: string };

const IMMUTABLE =
  /immutable|may not change|may not be changed|cannot change|updates to .+ are forbidden|updates to .+ for fields other than|updates may not change/i;

/**
 * The refusal that an error means.
 * @throws the error itself when another attempt may succeed
 */
export function refusalOf(error: unknown): Refusal {
  if (isFieldConflict(error)) return { outcome: 'conflict', message: error.message };
  if (!(error instanceof ApiError) || !error.permanent) throw error;
  const causes = error.details.causes ?? [];
  // The object seen is gone and another one has its name: the next attempt looks again.
  if (causes.some((cause) => cause.field === 'metadata.uid')) throw error;
  const frozen = causes.filter((cause) => IMMUTABLE.test(cause.message ?? ''));
  const frozenFields = frozen.flatMap((cause) => cause.field ?? []);
  if (frozen.length > 0 || (causes.length === 0 && IMMUTABLE.test(error.message))) {
    return { outcome: 'immutable', fields: frozenFields, message: error.message };
  }
  const fields = causes.flatMap((cause) => cause.field ?? []);
  return { outcome: 'invalid', fields, message: error.message };
}

function isFieldConflict(error: unknown): error is ApiError {
  if (!isStatus(error, 409)) return false;
  return (error.details.causes ?? []).some((cause) => cause.reason === 'FieldManagerConflict');
}
