import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { ObserveContext } from '../../actions/observers.ts';
import type { ManagementCluster } from '../../host-clusters/host.ts';
import { AWAITING_BACKUP, awaitedBackup, blockedUpgrade } from '../../instance/upgrade-backup.ts';
import { upgradeBackupActions } from './backup-actions.ts';
import { currentStatus } from '../status/status-writer.ts';
import { createUpgradeBackup } from './create-backup.ts';
import { observeUpgradeBackup, type BackupReader } from './observe-upgrade-backup.ts';

interface Tools {
  readonly local: Pick<ManagementCluster, 'client'>;
}

interface Readers {
  readonly local: { readonly client: BackupReader };
}

/** No event signals that a store or a schedule of backups is created. */
const BLOCKED_MS = 15_000;

/** The backup before an upgrade. */
export const upgradeBackup = {
  name: 'backup before an upgrade',
  observers: {
    spec: ({ tools, instance }: ObserveContext<Readers>, seen) => {
      const { spec, blockedVersions = [], nextReleases = [] } = seen;
      if (spec === undefined) return {};
      const input = { ...seen, status: currentStatus(instance, seen.karmada) };
      const resolved = { ...seen, spec, blockedVersions, nextReleases };
      return observeUpgradeBackup(tools.local.client, input, resolved);
    },
  },
  decide: upgradeBackupActions,
  executors: ({ tools: { local } }: ExecutionContext<Tools>) => ({
    createUpgradeBackup: (action) => createUpgradeBackup(local.client, action),
  }),
  progressReason: (snapshot) => (awaitedBackup(snapshot).length > 0 ? AWAITING_BACKUP : undefined),
  unfinished: ({ snapshot }) => awaitedBackup(snapshot),
  msUntilCheck: ({ snapshot }) => (blockedUpgrade(snapshot) === undefined ? Infinity : BLOCKED_MS),
} satisfies Feature<Tools, Readers>;
