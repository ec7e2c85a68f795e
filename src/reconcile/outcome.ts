/** What came of the writes of one pass. */
import type { Step } from '../components/component.ts';
import { errorText } from '../kubernetes/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Place } from './desired.ts';
import type { Problem } from './status/pod-problems.ts';

/** Why an object could not be written, when it takes somebody to act. */
export interface WriteProblem extends Problem {
  readonly step: Step;
}

export interface ActOutcome {
  /** Objects as the API servers returned them, by place and identity. */
  readonly live: ReadonlyMap<string, KubernetesObject>;
  readonly problems: readonly WriteProblem[];
  /** What may be better at the next attempt. */
  readonly errors: readonly unknown[];
  /** Number of objects that were changed. */
  readonly writes: number;
}

/** Key of `ActOutcome.live`. */
export const liveKey = (place: Place, id: string): string => `${place}:${id}`;

/** One text for all that went wrong. */
export function errorsText(errors: readonly unknown[]): string {
  return [...new Set(errors.map(errorText))].slice(0, 3).join('; ');
}
