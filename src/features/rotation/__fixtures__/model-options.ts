/** Kinds of control planes in the model. */
import type { RotationAuthority } from '../authority.ts';

/** How control planes differ from each other. */
export interface WorldOptions {
  readonly authority: RotationAuthority;
  /** Whether the successor is in the Secrets from their creation, was published later, ends early, or is missing. */
  readonly successor: 'original' | 'unpublished' | 'short' | 'missing';
  /** Whether the user provides the CA, so that it has no successor: only for `ca`. */
  readonly isCustom: boolean;
  /** See `RotationPolicy`. */
  readonly keysMs: number;
}

/** Secret of the custom CA. */
export interface CustomSecret {
  /** The CA that it offers in place of the active one. */
  offer?: string;
  /** Whether it has the private key of this CA. */
  hasKey: boolean;
}
