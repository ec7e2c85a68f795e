/** Types of `status.versions` and `status.upgrade`. */

export interface Versions {
  readonly karmada?: string;
  readonly kubernetes?: string;
  readonly etcd?: string;
}

export interface UpgradeStatus {
  readonly from?: Versions;
  readonly to?: Versions;
  /** Karmada releases that follow `to`, the requested one last. */
  readonly next?: readonly string[];
  readonly step?: string;
  /** Name of the KarmadaBackup that was taken before the first step. */
  readonly backup?: string;
  /** Only with `spec.upgrade.onFailure: Rollback`, as are the fields below. */
  readonly phase?: UpgradePhase;
  /** Start of the step (RFC 3339); absent while the operator blocks it. */
  readonly startedAt?: string;
  /** Reason of the failed step, as in the condition of its component. */
  readonly reason?: string;
  readonly message?: string;
}

/**
 * `Halted`: a step failed and the operator cannot roll back; `RolledBack`: the control plane runs the last ready spec.
 */
type UpgradePhase = 'Progressing' | 'Halted' | 'RollingBack' | 'RolledBack';
