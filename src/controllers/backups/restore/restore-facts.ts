import type {
  KarmadaBackup,
  KarmadaBackupStore,
  RestoreMemberClusters,
} from '../../../api/backup/kinds.ts';
import type { Problem } from '../../../api/reasons/problem.ts';
import type { Karmada } from '../../../api/karmada.ts';
import type { EtcdRecord } from '../../../etcd-cluster/identity/record.ts';

/** What a restore is decided on. Absent objects do not exist. */
export interface RestoreFacts {
  readonly karmada: Karmada | undefined;
  readonly backup: KarmadaBackup | undefined;
  readonly store: KarmadaBackupStore | undefined;
  /** Why the operator cannot use the host cluster now. The record is unknown then. */
  readonly hostProblem?: Problem;
  /** What is missing or wrong in the Secrets of the store, of which a remote host cluster needs copies. */
  readonly storeProblem?: Problem;
  /** Record of the etcd cluster; undefined if it is missing or not valid. */
  readonly record: EtcdRecord | undefined;
  /** SHA-256 fingerprints of the CAs of the control plane, the active one first; empty if they are not known. */
  readonly presentCAs?: readonly string[];
  /** Whether the operator knows its own image. */
  readonly hasImage: boolean;
  /** Last comparison of the member clusters, while the propagation is paused. */
  readonly memberClusters?: RestoreMemberClusters;
  /** RFC 3339. */
  readonly now: string;
}
