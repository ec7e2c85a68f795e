/** Reads the backups in the namespace of a Karmada whose upgrade is about to start, and decides about the start. */
import {
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
  UPGRADE_LABEL,
} from '../../api/backup/kinds.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { ResourceType } from '../../kubernetes/objects/resources.ts';
import { servedKinds } from '../backups/served-kinds.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { ResolvedSpec, ResolveInput } from '../versions/resolve-spec.ts';
import { decideUpgradeBackup, upgradeLabel, type BackupReading } from './decide-upgrade-backup.ts';
import { dueUpgrade, withDecision } from './blocked-upgrade.ts';

/** Client of the management cluster. */
export type BackupReader = Pick<KubernetesClient, 'raw' | 'list'>;

/**
 * Returns the spec to apply: with the running versions until the backup before an upgrade is verified. It reads from the
 * API server and not from a cache, which might be stale. A failed read is part of the decision. Never rejects.
 */
export async function observeUpgradeBackup(
  client: BackupReader,
  input: ResolveInput,
  resolved: ResolvedSpec,
): Promise<ResolvedSpec & Pick<Snapshot, 'upgradeBackup'>> {
  const upgrade = dueUpgrade(input, resolved);
  if (upgrade === undefined) return resolved;
  const { namespace = '' } = input.karmada.metadata;
  const reading = await readBackups(client, namespace, upgradeLabel(upgrade.to));
  return withDecision(input, resolved, upgrade, decideUpgradeBackup(upgrade, reading));
}

/**
 * Reads the backups of an upgrade, and where further ones can be stored. Never rejects.
 * @param label see `upgradeLabel`
 */
export async function readBackups(
  client: BackupReader,
  namespace: string,
  label: string,
): Promise<BackupReading> {
  try {
    const isServed = await servedKinds(client);
    if (!isServed(karmadaBackups)) return { state: 'notInstalled' };
    const listed = async <T extends KubernetesObject>(
      type: ResourceType<T>,
      more = {},
    ): Promise<readonly T[]> =>
      isServed(type) ? (await client.list(type, { namespace, ...more })).items : [];
    const [backups, schedules, stores] = await Promise.all([
      listed(karmadaBackups, { labelSelector: `${UPGRADE_LABEL}=${label}` }),
      listed(karmadaBackupSchedules),
      listed(karmadaBackupStores),
    ]);
    return {
      state: 'read',
      backups,
      schedules,
      stores: stores.map(({ metadata }) => metadata.name),
    };
  } catch (error) {
    return { state: 'unknown', error: errorText(error) };
  }
}
