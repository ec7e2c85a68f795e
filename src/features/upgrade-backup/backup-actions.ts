/** Action that creates the backup before an upgrade: pure. */
import type { Action } from '../../actions/action.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Returns the creation of the backup, if it does not exist yet. */
export function upgradeBackupActions({
  upgradeBackup,
}: Pick<Snapshot, 'upgradeBackup'>): readonly Action[] {
  const decision = upgradeBackup?.decision;
  if (decision?.kind !== 'wait' || decision.create === undefined) return [];
  return [{ kind: 'createUpgradeBackup', backup: decision.create }];
}
