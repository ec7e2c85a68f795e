/** Facts about an etcd that the Go operator created. Plain values. */
import type { MemberFacts } from '../../../etcd-cluster/members/facts.ts';

export interface AdoptedEtcdFacts {
  readonly karmada: { readonly name: string; readonly namespace: string };
  /** Whether its user has agreed to the change. */
  readonly isConfirmed: boolean;
  /** Whether the StatefulSet has the Pod template of the Go operator. */
  readonly hasGoTemplate: boolean;
  /** Whether the data outlives the Pods. */
  readonly isDurable: boolean;
  /** Whether the PVCs stay when the StatefulSet is deleted. */
  readonly keepsClaims: boolean;
  /** Whether the record names the cluster of the members. */
  readonly isRecorded: boolean;
  /** Whether the members listened for https when the cluster was recorded last. */
  readonly recordsHttps: boolean;
  /** PVCs whose annotation does not name the member yet. */
  readonly unrecordedClaims: readonly string[];
  /** Why the record is not replaced by one of the present members. */
  readonly recordFault?:
    | { readonly kind: 'unreadable' }
    | { readonly kind: 'otherCluster'; readonly recorded: string; readonly present: string };
  /** Name of the Secret with the record. */
  readonly backup: string;
  /** PVCs with their fault: missing, not bound, or terminating. A restarted member would not find its data. */
  readonly unsafeClaims: readonly string[];
  /** Host name of the node with the data of a single member on a hostPath, if its Pod may start on another node. */
  readonly looseNode?: string;
  /** What forbids the members to run as root, to which their files belong. */
  readonly rootForbiddenBy?: 'podSettings' | 'tenantPods' | 'namespace';
  /** Pod Security level of the namespace that does not allow the hostPath with the data. */
  readonly hostPathForbiddenBy?: string;
  /** Objects of etcd without the labels of the control plane. */
  readonly unowned: readonly string[];
  /** Objects whose repair is paused. */
  readonly paused: readonly string[];
  /** Permissions that the operator lacks on the host cluster. */
  readonly missingRights: readonly string[];
  /** Secret with the certificates of the members, as `Secret namespace/name`. */
  readonly secret: string;
  /** What else writes this Secret. */
  readonly secretOwners: readonly string[];
  readonly hasPeerCertificate: boolean;
  /** Whether Pods of the Go operator still run in other workloads. */
  readonly hasGoPods: boolean;
  readonly members: MemberFacts;
}
