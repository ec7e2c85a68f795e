/** What came of the actions of one reconcile. */
import type { Problem } from '../api/problem.ts';
import type { Step } from '../components/component.ts';
import { errorText } from '../kubernetes/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { CertificatesOutcome } from './certificates/certificates.ts';
import type { Place } from './desired.ts';
import type { Hold } from './hold.ts';

/** Why an object could not be written, when it takes somebody to act. */
interface WriteProblem extends Problem {
  readonly step: Step;
}

/** What came of one action; empty when there was nothing to do. */
export interface Done {
  /** Number of objects that were changed. */
  readonly writes?: number;
  /** Key as of `liveKey`, and the object as the API server returned it. */
  readonly live?: readonly [string, KubernetesObject];
  readonly problem?: WriteProblem;
  /** Why a look at the last moment did not allow it. */
  readonly hold?: Hold;
  readonly certificates?: CertificatesOutcome;
}

export interface ActOutcome {
  /** Objects as the API servers returned them, by place and identity. */
  readonly live: ReadonlyMap<string, KubernetesObject>;
  readonly problems: readonly WriteProblem[];
  /** What may be better at the next attempt. */
  readonly errors: readonly unknown[];
  /** What the plan allowed and a look at the last moment did not. */
  readonly holds: readonly Hold[];
  /** Number of objects that were changed. */
  readonly writes: number;
  /** Present when certificates were to be issued and that did not throw. */
  readonly certificates?: CertificatesOutcome;
}

/** One outcome of all actions. */
export function outcomeOf(done: readonly Done[], errors: readonly unknown[]): ActOutcome {
  const certificates = done.find((one) => one.certificates !== undefined)?.certificates;
  return {
    live: new Map(done.flatMap(({ live }) => (live ? [live] : []))),
    problems: done.flatMap(({ problem }) => problem ?? []),
    errors,
    holds: done.flatMap(({ hold }) => hold ?? []),
    writes: done.reduce((sum, { writes = 0 }) => sum + writes, 0),
    ...(certificates && { certificates }),
  };
}

/** Key of `ActOutcome.live`. */
export const liveKey = (place: Place, id: string): string => `${place}:${id}`;

/** One text for all that went wrong. */
export function errorsText(errors: readonly unknown[]): string {
  return [...new Set(errors.map(errorText))].slice(0, 3).join('; ');
}
