/** Blocked changes: pure. */
import type { Problem } from '../api/reasons/problem.ts';
import type { Step } from '../components/component.ts';

/** A change that the operator does not apply now. */
export interface BlockedChange extends Problem {
  readonly step: Step | 'certificates' | 'prune';
  /** If true, later stages of an upgrade wait until the change is no longer blocked. */
  readonly blocksLaterStages?: true;
}

/** Steps with a blocked change that do not delay later upgrade stages. */
export const nonBlockingSteps = (blockedChanges: readonly BlockedChange[]): ReadonlySet<string> =>
  new Set(
    blockedChanges
      .filter(({ blocksLaterStages }) => blocksLaterStages !== true)
      .map(({ step }) => step),
  );
