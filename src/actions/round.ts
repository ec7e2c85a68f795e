/**
 * Rounds of a reconcile. Each one observes, decides and acts; the next one knows what it has read and written. The
 * controller lists them in `controllers/karmada/rounds.ts`.
 */
import type { Problem } from '../api/problem.ts';
import type { EtcdRecord } from '../etcd-cluster/identity/record.ts';
import type { InstanceCache } from '../instance/instance-cache.ts';
import type { CertificatesView, Snapshot } from '../instance/snapshot.ts';
import type { Random } from '../kubernetes/clock.ts';
import type { PkiInputs } from '../pki/types.ts';
import type { Action } from './action.ts';
import type { ExecutionResult } from './execution-result.ts';

/** What a reconcile knows after the rounds so far. */
export interface Known {
  readonly snapshot: Snapshot;
  /** Inputs of the certificates. */
  readonly pki: PkiInputs;
  /** Undefined while there are no certificates. */
  readonly view?: CertificatesView;
  /** Why certificates are not issued. */
  readonly certificateProblem?: Problem;
  /** Record of the local etcd, as it is stored now. */
  readonly etcdRecord?: EtcdRecord;
  /** Nothing can be created yet, so that the rounds that prepare the control plane end. */
  readonly isBlocked?: true;
}

/** What a decision may use besides what is known: memory of this control plane, which it does not change, and randomness. */
export interface RoundInput {
  readonly instance: Readonly<InstanceCache>;
  readonly random: Random;
}

export interface RoundDecision {
  readonly actions: readonly Action[];
  /** Returns what is known after the actions. Pure. */
  readonly learn?: (result: ExecutionResult) => Partial<Known>;
}

/** @typeParam T clients that it reads with */
export interface Round<T> {
  readonly name: string;
  /** Reads what no cache contains. Decides nothing, and writes nothing. */
  readonly observe?: (tools: T, known: Known) => Promise<Partial<Known>>;
  /** Pure. */
  readonly decide: (known: Known, input: RoundInput) => RoundDecision;
  /** Whether an error of an action leaves the others of this reconcile to the next rounds. Otherwise it ends the reconcile. */
  readonly toleratesErrors?: true;
}

/** A decision without actions. */
export const NOTHING: RoundDecision = { actions: [] };
