/** Results of the actions of one reconcile. */
import type { Problem } from '../api/reasons/problem.ts';
import type { Step } from '../components/component.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import { largestOf } from '../kubernetes/objects/largest.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { CertificatesOutcome } from './certificates-outcome.ts';
import type { TargetCluster } from '../control-plane-access/target-cluster.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';

/** Permanent write error of an object; requires user action. */
interface WriteProblem extends Problem {
  readonly step: Step;
}

/** Step of an unfinished write: that of the object, or the deletion of an object. */
export type LateStep = Step | 'removal';

/** Result of one action; empty if the action had nothing to do. */
export interface Done {
  /** Number of objects that were changed. */
  readonly writes?: number;
  /** Key from `liveKey`, and the object as returned by the API server. */
  readonly live?: readonly [string, KubernetesObject];
  readonly problem?: WriteProblem;
  /** Set if the final check of the executor blocked the change. */
  readonly blockedChange?: BlockedChange;
  readonly certificates?: CertificatesOutcome;
  /** Kind of the object whose drift the action removed, or that it recreated. */
  readonly repaired?: string;
  /** Step of a write to the control plane that has not ended yet. */
  readonly lateStep?: LateStep;
  /** Milliseconds until a status may be written that was not written now; 0 if nothing is left to write. */
  readonly statusDelayMs?: number;
}

export interface ExecutionResult {
  /** Objects as returned by the API servers, by target cluster and identity. */
  readonly live: ReadonlyMap<string, KubernetesObject>;
  readonly problems: readonly WriteProblem[];
  /** Retryable errors. */
  readonly errors: readonly unknown[];
  /** Changes that the plan allowed and the final check of an executor blocked. */
  readonly blockedChanges: readonly BlockedChange[];
  /** Number of objects that were changed. */
  readonly writes: number;
  /** Steps with writes that have not ended yet. */
  readonly lateSteps?: readonly LateStep[];
  /** Milliseconds until a delayed status may be written; 0 without one. */
  readonly statusDelayMs?: number;
  /** Present if certificates were due and the action did not throw. */
  readonly certificates?: CertificatesOutcome;
}

/** Merges the results of all actions. */
export function executionResultOf(
  done: readonly Done[],
  errors: readonly unknown[],
): ExecutionResult {
  const certificates = done.find((one) => one.certificates !== undefined)?.certificates;
  const lateSteps = done.flatMap(({ lateStep }) => lateStep ?? []);
  return {
    live: new Map(done.flatMap(({ live }) => (live ? [live] : []))),
    problems: done.flatMap(({ problem }) => problem ?? []),
    errors,
    blockedChanges: done.flatMap(({ blockedChange }) => blockedChange ?? []),
    writes: done.reduce((sum, { writes = 0 }) => sum + writes, 0),
    ...(lateSteps.length > 0 && { lateSteps }),
    statusDelayMs: largestOf(
      done.map(({ statusDelayMs = 0 }) => statusDelayMs),
      0,
    ),
    ...(certificates && { certificates }),
  };
}

/** Key of `ExecutionResult.live`. */
export const liveKey = (cluster: TargetCluster, id: string): string => `${cluster}:${id}`;

/** Joins up to three distinct error messages. */
export function errorsText(errors: readonly unknown[]): string {
  return [...new Set(errors.map(errorText))].slice(0, 3).join('; ');
}
