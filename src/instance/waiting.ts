import type { Problem } from '../api/reasons/problem.ts';
import type { Step } from '../components/component.ts';

/** Reason why the operator does not write an object now. */
export interface Waiting extends Problem {
  /** Steps that the write waits for; empty if it waits for something else. */
  readonly awaits: readonly Step[];
}
