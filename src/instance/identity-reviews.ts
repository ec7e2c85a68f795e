/** Access reviews of the components of a control plane: plain values. */
import type { ClientComponent } from '../pki/types.ts';

/** The first permission that is denied, if there is one. */
export type ReviewResult = 'allowed' | { readonly denied: string };

interface IdentityReview {
  readonly result: ReviewResult;
  /** Wall clock in milliseconds. */
  readonly at: number;
}

/** Latest review of each component. Kept in memory only: losing it costs one more review. */
export type IdentityReviews = ReadonlyMap<ClientComponent, IdentityReview>;

export interface LackedPermissions {
  /** One text for each role. */
  readonly texts: readonly string[];
  /** When the last one was seen: wall clock in milliseconds. */
  readonly at: number;
}
