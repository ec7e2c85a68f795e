import type { Problem } from '../api/reasons/problem.ts';
import type { EtcdMembership } from '../components/component.ts';
import type { StoredData } from '../etcd-cluster/recovery/stored-data.ts';
import type { Survivor } from '../etcd-cluster/recovery/survivors.ts';
import type { EtcdEvidence } from '../etcd-cluster/identity/decide-bootstrap.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { BlockedChange } from './blocked-change.ts';
import type { Recovery } from '../etcd-cluster/identity/record.ts';

/** Recovery as the plan sees it. */
interface RecoveryState {
  /**
   * `requested`: the annotation matches and is not accepted yet; `loading`: a backup is restored next to the former
   * cluster, which serves; `restoring`: the API servers are stopped, and the data is restored next to the former
   * cluster; `switching`: the new cluster replaces the former one.
   */
  readonly phase: 'requested' | Recovery['phase'];
  /** Value of the annotation. */
  readonly from: string;
}

/** Result of the bootstrap decision for the etcd of a control plane. */
export interface EtcdBootstrap {
  readonly membership: EtcdMembership;
  /** The operator does not write the StatefulSet now; its live template counts as desired. */
  readonly isKept?: true;
  /** Reason why the StatefulSet is not created. */
  readonly blockedChange?: BlockedChange;
  /** Lost data. */
  readonly problem?: Problem;
  /** What new Deployments wait for. */
  readonly awaited?: string;
  /**
   * Members may still start the new cluster. A Pod that does not run and cannot start it is replaced with one that
   * can.
   */
  readonly isFounding?: true;
  /** Recorded facts show that no API server of the control plane has ever served, so that no member has data of a user. */
  readonly neverServed?: true;
  /** Recovery of an etcd that lost its quorum. */
  readonly recovery?: RecoveryState;
  /** Reason why a requested recovery is refused. */
  readonly refusal?: string;
  /** Members that respond without a quorum. */
  readonly survivors?: readonly Survivor[];
  /** Members with data in their PVCs, if none responds. */
  readonly stored?: readonly StoredData[];
  /** A read or write failed; requeue soon. */
  readonly isUnsure?: true;
}

/** What was read live about the data of an etcd without a StatefulSet. */
export interface EtcdData {
  readonly evidence: EtcdEvidence;
  /** CA backup Secret `N(ca-backup)`, which stores the record; undefined if it does not exist or was not read. */
  readonly backup: KubernetesObject | undefined;
  /** Name of the PVC template of the data; undefined if it is unknown. */
  readonly volume?: string;
}
