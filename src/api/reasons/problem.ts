import type { Reason } from './condition-reasons.ts';

/** Problem in the form of a condition. A gate returns one if it does not allow an action. */
export interface Problem {
  /** Machine-readable reason in CamelCase. */
  readonly reason: Reason;
  /** Object or field, cause and what to do, without secret data. */
  readonly message: string;
}
