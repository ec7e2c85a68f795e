/** Messages between a fleet process and its parent. */
import type { CountsByTarget } from './request-counts.ts';
import type { ReadinessSample } from './readiness.ts';

/** What the parent asks for. The process answers each question with a sample. */
export type Question = 'sample' | 'reset' | 'start repairs' | 'stop repairs';

export interface FleetSample {
  readonly requests: CountsByTarget;
  readonly readiness: ReadinessSample;
  /** Milliseconds until each damaged object existed again. */
  readonly repairsMs: readonly number[];
  /** How often the leader Lease changed its holder; undefined before the first holder. */
  readonly leaseTransitions: number | undefined;
}
