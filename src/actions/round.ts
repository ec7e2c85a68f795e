/**
 * Rounds of a reconcile. Each one observes, decides and acts; the next one knows what it has read and written. The
 * controller lists them in `controllers/karmada/rounds.ts`.
 */
import type { KarmadaStatus } from '../api/karmada.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { ClusterStateInput } from '../etcd-cluster/identity/initial-cluster-state.ts';
import type { InstanceCache } from '../instance/instance-cache.ts';
import type { PresentSecrets } from '../instance/present-secrets.ts';
import type { CertificatesView, Snapshot } from '../instance/snapshot.ts';
import type { Clock, Random } from '../kubernetes/time/clock.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { PkiInputs } from '../pki/types.ts';
import type { Action } from './action.ts';
import type { Assessment } from './assessment.ts';
import type { ExecutionResult } from './execution-result.ts';

/** What a reconcile knows after the rounds so far. */
export interface Known {
  readonly snapshot: Snapshot;
  /** Inputs of the certificates. */
  readonly pki: PkiInputs;
  /** Secrets as the preflight checks of this reconcile have read them. Only the round that creates the first Secrets may use it. */
  readonly present?: PresentSecrets;
  /** Undefined while there are no certificates. */
  readonly view?: CertificatesView;
  /** Why certificates are not issued. */
  readonly certificateProblem?: Problem;
  /**
   * CA backup Secret with new CAs, as this reconcile created it after live reads that found neither a StatefulSet nor PVCs of etcd.
   * Creating a StatefulSet fails if another client is faster, and etcd uses the data that it finds in a PVC.
   */
  readonly newBackup?: KubernetesObject;
  /** What a running local etcd shows about its cluster, with the record as it is stored now. */
  readonly clusterState?: ClusterStateInput;
  /** Nothing can be created yet, so that the rounds that prepare the control plane end. */
  readonly isBlocked?: true;
}

/** The same for a reconcile of the operator; a preview has no status. */
export interface Reconciled extends Known {
  /** Status that was written last. */
  readonly before: KarmadaStatus;
  /** What came of the plan. */
  readonly change?: { readonly assessment: Assessment; readonly outcome: ExecutionResult };
  readonly end?: ReconcileEnd;
}

/** How a reconcile ended. All durations are in milliseconds. */
export interface ReconcileEnd extends Pick<ExecutionResult, 'errors'> {
  /** The status announces the rollout of the Pods or the next release, which starts when the announcement is written. */
  readonly startsNext: boolean;
  /** Delay until the status may be written; 0 if it is written. */
  readonly statusDelayMs: number;
  /** Delay until the next reconcile that the state of the control plane needs. */
  readonly requeueAfterMs: number;
}

/** Changed fields of the memory of a control plane; `undefined` forgets one. */
export type MemoryChange = {
  readonly [K in keyof InstanceCache]?: InstanceCache[K] | undefined;
};

/** What a round adds to what is known, and to the memory of the control plane. @typeParam K all that is known */
export type Learned<K = Known> = Partial<K> & { readonly remember?: MemoryChange };

/** What a decision may use besides what is known: memory of this control plane, which it does not change, time and randomness. */
export interface RoundInput {
  readonly instance: Readonly<InstanceCache>;
  readonly clock: Pick<Clock, 'wall' | 'monotonic'>;
  readonly random: Random;
}

export interface RoundDecision<K = Known> {
  readonly actions: readonly Action[];
  /** Remembered before the actions. */
  readonly remember?: MemoryChange;
  /** Returns what is known after the actions. Pure. */
  readonly learn?: (result: ExecutionResult) => Learned<K>;
}

/** @typeParam T what it reads with @typeParam K what is known */
export interface Round<T, K extends Known = Known> {
  readonly name: string;
  /** Reads what no cache contains, and starts reads in the background. Decides nothing, and writes nothing. */
  readonly observe?: (tools: T, known: K, instance: Readonly<InstanceCache>) => Promise<Learned<K>>;
  /** Pure. */
  readonly decide?: (known: K, input: RoundInput) => RoundDecision<K>;
  /** Whether an error of an action leaves the others of this reconcile to the next rounds. Otherwise it ends the reconcile. */
  readonly toleratesErrors?: true;
  /** Whether it takes place although nothing can be created yet. */
  readonly isLasting?: true;
}

/** A decision without actions. */
export const NOTHING: RoundDecision = { actions: [] };
