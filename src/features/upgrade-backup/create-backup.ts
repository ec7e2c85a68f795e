/** Creates the backup before an upgrade. */
import { karmadaBackups, UPGRADE_LABEL, type KarmadaBackup } from '../../api/backup/kinds.ts';
import { FIELD_MANAGER } from '../../api/karmada.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isWritten } from '../../kubernetes/client/conditional-write.ts';
import { keyOf } from '../../kubernetes/objects/resources.ts';
import type { ActionOf } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';

/**
 * Creates the KarmadaBackup. An existing one of the same upgrade is the result of an earlier attempt.
 * @param client of the management cluster
 * @throws ApiError, NetworkError
 */
export async function createUpgradeBackup(
  client: Pick<KubernetesClient, 'create' | 'find'>,
  { backup }: ActionOf<'createUpgradeBackup'>,
): Promise<Done> {
  if (await isWritten(client.create(backup, { fieldManager: FIELD_MANAGER }))) return { writes: 1 };
  const found = await client.find(karmadaBackups, keyOf(backup));
  if (found === undefined || isSame(found, backup)) return {};
  const { name } = backup.metadata;
  return {
    blockedChange: {
      step: 'karmada-controller-manager',
      reason: 'UpgradeBackupFailed',
      message: `KarmadaBackup ${name}: exists, and is not a backup before this upgrade; set spec.upgrade.backup to Never`,
    },
  };
}

const isSame = (found: KarmadaBackup, { metadata, spec }: KarmadaBackup): boolean =>
  found.metadata.labels?.[UPGRADE_LABEL] === metadata.labels?.[UPGRADE_LABEL] &&
  found.spec.karmadaRef.name === spec.karmadaRef.name;
