/** What a change preview says about the backup before an upgrade. */
import type { BlockedChange } from '../instance/blocked-change.ts';
import type { ResolvedSpec, ResolveInput } from '../features/versions/resolve-spec.ts';
import {
  decideUpgradeBackup,
  upgradeLabel,
} from '../features/upgrade-backup/decide-upgrade-backup.ts';
import { blockedBy, dueUpgrade } from '../features/upgrade-backup/blocked-upgrade.ts';
import {
  readBackups,
  type BackupReader,
} from '../features/upgrade-backup/observe-upgrade-backup.ts';
import type { BackupDecision } from '../instance/upgrade-backup.ts';

export interface BackupPreview {
  /** What happens before the first step. */
  readonly lines: readonly string[];
  readonly blockedChanges: readonly BlockedChange[];
}

/** Previews the backup. A failed read is part of the result. Never rejects. */
export async function previewBackup(
  client: BackupReader,
  input: ResolveInput,
  resolved: Pick<ResolvedSpec, 'spec' | 'rollback'>,
): Promise<BackupPreview> {
  const upgrade = dueUpgrade(input, resolved);
  if (upgrade === undefined) return { lines: [], blockedChanges: [] };
  const { namespace = '' } = input.karmada.metadata;
  const reading = await readBackups(client, namespace, upgradeLabel(upgrade.to));
  const decision = decideUpgradeBackup(upgrade, reading);
  return { lines: linesOf(decision), blockedChanges: blockedBy(decision, upgrade.moved) };
}

function linesOf(decision: BackupDecision): readonly string[] {
  if (decision.kind === 'blocked') return [];
  if (decision.kind === 'go')
    return decision.name === undefined
      ? []
      : [`KarmadaBackup ${decision.name} is verified already`];
  const { create, message } = decision;
  if (create === undefined) return [message];
  const { metadata, spec } = create;
  return [
    `KarmadaBackup ${metadata.name} is taken in the KarmadaBackupStore ${spec.storeRef.name}, and verified`,
  ];
}
