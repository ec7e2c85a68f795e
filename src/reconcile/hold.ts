/** Changes that are held back: pure. */
import type { Problem } from '../api/problem.ts';
import type { Step } from '../components/component.ts';

/** A change that is not made now. */
export interface Hold extends Problem {
  readonly step: Step | 'certificates' | 'prune';
  /** Whether later stages of an upgrade wait until it is gone. */
  readonly halts?: true;
}

/** Steps of which something is held back for safety's sake, and that hold nothing else up. */
export const passedOver = (holds: readonly Hold[]): ReadonlySet<string> =>
  new Set(holds.filter(({ halts }) => halts !== true).map(({ step }) => step));
