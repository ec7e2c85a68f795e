/** Blocked changes: pure. */
import type { Problem } from '../api/problem.ts';
import type { Step } from '../components/component.ts';

/** A change that the operator does not apply now. */
export interface Hold extends Problem {
  readonly step: Step | 'certificates' | 'prune';
  /** If true, later stages of an upgrade wait until the change is no longer blocked. */
  readonly halts?: true;
}

/** Steps with a blocked change that do not delay later upgrade stages. */
export const passedOver = (holds: readonly Hold[]): ReadonlySet<string> =>
  new Set(holds.filter(({ halts }) => halts !== true).map(({ step }) => step));
