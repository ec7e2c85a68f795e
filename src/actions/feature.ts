/**
 * A feature: one capability of a control plane, such as its certificates or the members of its etcd. The controller knows
 * features only by this interface; `controllers/karmada/features.ts` registers each of them once.
 */
import type { Clock, Random } from '../kubernetes/clock.ts';
import type { DesiredObject } from '../instance/desired-objects.ts';
import type { InstanceCache } from '../instance/instance-cache.ts';
import type { CertificatesView, Snapshot } from '../instance/snapshot.ts';
import type { Action } from './action.ts';
import type { Executors } from './execute-actions.ts';
import type { Done } from './execution-result.ts';

/** What the executors of one reconcile work with. @typeParam T clients and other tools that they need */
export interface ExecutionContext<T> {
  readonly tools: T;
  readonly instance: InstanceCache;
  /** The snapshot that the actions are based on. */
  readonly snapshot: Snapshot;
  /** Writes a desired object of the host cluster. */
  readonly apply: (target: DesiredObject) => Promise<Done>;
}

/** What a feature may consider to find the time of its next check. */
export interface CheckInput {
  readonly instance: InstanceCache;
  readonly snapshot: Snapshot;
  /** Undefined while there are no certificates. */
  readonly view: CertificatesView | undefined;
  /** Steps that are incomplete. */
  readonly unfinished: readonly { readonly step: string }[];
  /** Whether the control plane waits until another one has completed its rollout. */
  readonly awaitsTurn: boolean;
  readonly clock: Pick<Clock, 'wall' | 'monotonic'>;
  readonly random: Random;
}

export interface Feature<T> {
  readonly name: string;
  /** Decides about writes that are no objects of the desired state. Pure. */
  readonly decide?: (snapshot: Snapshot) => readonly Action[];
  /** Returns an executor for each kind of action of the feature. */
  readonly executors?: (context: ExecutionContext<T>) => Partial<Executors>;
  /** Returns the delay until the next reconcile that the feature needs if no watch event arrives, in milliseconds. Pure. */
  readonly msUntilCheck?: (input: CheckInput) => number;
}
