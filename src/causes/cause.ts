/** Why a component is not ready: types. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { ComponentName } from '../api/component-catalog.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { PersistentVolumeClaim, StorageClass } from '../kubernetes/objects/kinds.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import type { Workload } from '../components/workload.ts';
import type { EventFact } from './event-facts.ts';
import type { Quoter } from './quote.ts';

/** A problem, and whether it is one already. */
export interface Cause extends Problem {
  /**
   * Whether the component cannot become ready without an action. Otherwise it may only be slow: the cause counts as a
   * failure when there is no progress for too long.
   */
  readonly isCertain: boolean;
}

/** A component whose Pods are explained. */
export interface Subject {
  readonly name: ComponentName;
  /** Path of its settings, such as `spec.components.etcd.local`. */
  readonly field: string;
  /** Names of the flags that the user sets. */
  readonly flags: readonly string[];
  /** Quotes text without the values of flags and environment variables of the user. */
  readonly quoter: Quoter;
  /** Returns the paths of files that flags of the user name. */
  readonly paths: () => readonly string[];
  /** Its live Deployment or StatefulSet. */
  readonly workload: Workload | undefined;
}

/** Objects of a control plane in the host cluster that explain a problem. */
export interface Surroundings {
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  /** StorageClasses of the cluster; absent if the operator must not read them. */
  readonly storageClasses?: readonly StorageClass[];
  /** Names of nodes that do not report that they are ready. */
  readonly unreadyNodes?: readonly string[];
  /** Recent Events of these objects; empty while they are not read. */
  readonly events: readonly EventFact[];
  /** Whether the components that this one needs serve; true by default. */
  readonly isServed?: boolean;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

/** Creates a cause that stays until somebody acts. */
export const certain = (reason: Reason, message: string): Cause => ({
  ...{ reason, message, isCertain: true },
});

/** Creates a cause that may pass. */
export const suspected = (reason: Reason, message: string): Cause => ({
  ...{ reason, message, isCertain: false },
});

/** Returns the first cause of some items; certain ones take precedence. Items after a certain one are not examined. */
export function firstCause<T>(
  items: readonly T[],
  causeOf: (item: T) => Cause | undefined,
): Cause | undefined {
  let first: Cause | undefined;
  for (const item of items) {
    const cause = causeOf(item);
    if (cause?.isCertain === true) return cause;
    first ??= cause;
  }
  return first;
}
