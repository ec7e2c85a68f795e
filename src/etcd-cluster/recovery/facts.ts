/** Facts that the next step of a recovery is decided on. Plain values. */
import type { EtcdRecord } from '../identity/record.ts';

/** An object that only a recovery creates. */
interface OwnObject {
  readonly name: string;
  readonly uid: string;
  /** Whether its annotation names this recovery. */
  readonly isOurs: boolean;
  readonly isTerminating: boolean;
  /** Whether a user has paused its repair by annotation. */
  readonly isPaused: boolean;
}

/** Pod that restores the data and then runs an etcd member with it. */
export interface RestorePod extends OwnObject {
  readonly hasFailed: boolean;
  /** Why it does not run, for the status. */
  readonly problem?: string;
  /** Milliseconds since its creation. */
  readonly ageMs: number;
  /** Response of its member. */
  readonly answer?: RestoredMember;
}

interface RestoredMember {
  readonly clusterID: string;
  readonly revision: string;
  /** Whether it leads its cluster, so that it accepts requests. */
  readonly isLeader: boolean;
}

/** StatefulSet of etcd. */
interface LiveSet {
  /** Value of `--initial-cluster-token`. */
  readonly token: string | undefined;
  readonly isTerminating: boolean;
}

/** PVC of the former cluster. */
export interface FormerClaim {
  readonly name: string;
  readonly uid: string;
  /** Value of the label that marks a PVC that a recovery keeps. */
  readonly kept?: string;
}

/** A Pod to delete with a short grace period. */
export interface SlowClient {
  readonly name: string;
  readonly uid: string;
}

export interface RecoveryFacts {
  /** Value of the annotation etcd-recover-from. */
  readonly requested?: string;
  /** Record of the cluster; undefined if it is missing or not valid. */
  readonly record: EtcdRecord | undefined;
  /** Reason why the requested value, or that of the recovery in progress, does not match the present state. */
  readonly refusal?: string;
  /** Whether a member of the former cluster responds. */
  readonly hasSurvivors: boolean;
  /** Whether a quorum of members is healthy. */
  readonly hasQuorum: boolean;
  /** Whether the recovery replaces an etcd of the Go operator that serves. */
  readonly isReplaced?: boolean;
  /** Highest revision of the members of the confirmed cluster: the restored data must have it. */
  readonly newestRevision?: string;
  /** ID of the cluster with this quorum. */
  readonly clusterID?: string;
  readonly statefulSet?: LiveSet;
  /** Names of Pods of components that write to etcd. */
  readonly clients: readonly string[];
  /** Those that do not end within a short grace period yet. */
  readonly slowClients?: readonly SlowClient[];
  /** PVC for the restored data. */
  readonly claim?: OwnObject;
  readonly pod?: RestorePod;
  readonly formerClaims: readonly FormerClaim[];
}
