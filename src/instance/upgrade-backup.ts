/** Backup before an upgrade: what a decision about it consists of. Plain values. */
import type { KarmadaBackup } from '../api/backup/kinds.ts';
import type { KarmadaStatus, UpgradeStatus, Versions } from '../api/karmada.ts';
import type { Problem } from '../api/reasons/problem.ts';
import { movedVersions } from '../api/versions/versions.ts';

/** Value of `status.upgrade.step` before the first step. */
export const BACKUP_STEP = 'backup';

/** Reason of writes that wait for the backup, and of the condition Progressing. */
export const AWAITING_BACKUP = 'AwaitingBackup';

/** Decision about the backup before an upgrade. */
export type BackupDecision =
  /** The first step may start. Without a name no backup is configured. */
  | { readonly kind: 'go'; readonly name?: string }
  /** The first step waits. */
  | {
      readonly kind: 'wait';
      /** Absent while it is not known whether a backup exists. */
      readonly name?: string;
      readonly message: string;
      /** KarmadaBackup to create. */
      readonly create?: KarmadaBackup;
    }
  /** Only the user can continue. */
  | (Problem & { readonly kind: 'blocked'; readonly name?: string });

/** Decision about the upgrade that is about to start, and what it leads to. */
export interface UpgradeBackup {
  readonly decision: BackupDecision;
  readonly to: Versions;
  /** Karmada releases that follow. */
  readonly next: readonly string[];
}

interface Decided {
  readonly upgradeBackup?: UpgradeBackup;
}

/** Returns the upgrade whose first step may not start yet; undefined if there is none. */
export const blockedUpgrade = ({ upgradeBackup }: Decided): UpgradeBackup | undefined =>
  upgradeBackup?.decision.kind === 'go' ? undefined : upgradeBackup;

/** Step before the first one of an upgrade. */
export type BackupStep = typeof BACKUP_STEP;

/** Returns the backup that the first step waits for; empty if it waits for none, or is blocked. */
export const awaitedBackup = ({
  upgradeBackup,
}: Decided): readonly { readonly step: BackupStep; readonly message: string }[] =>
  upgradeBackup?.decision.kind === 'wait'
    ? [{ step: BACKUP_STEP, message: upgradeBackup.decision.message }]
    : [];

/**
 * Whether the first step of an upgrade has started, so that a backup is too late. Changes of other fields, which also have
 * a step with `onFailure: Rollback`, are no upgrade.
 */
export function hasBegun({ upgrade = {} }: Pick<KarmadaStatus, 'upgrade'>): boolean {
  const { step, phase, from = {}, to = {} } = upgrade;
  const isInProgress = step !== undefined && step !== BACKUP_STEP && phase !== 'RolledBack';
  return isInProgress && movedVersions(from, to).length > 0;
}

/** Returns the fields of `status.upgrade` about the backup. The name stays while the upgrade is in progress. */
export function backupFields(
  { upgradeBackup }: Decided,
  before: Pick<KarmadaStatus, 'upgrade'>,
): Pick<UpgradeStatus, 'backup'> {
  const backup = hasBegun(before) ? before.upgrade?.backup : upgradeBackup?.decision.name;
  return backup === undefined ? {} : { backup };
}
