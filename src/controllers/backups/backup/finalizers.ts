/** Finalizers of a KarmadaBackup. */
import { karmadaBackups, type KarmadaBackup } from '../../../api/backup/kinds.ts';
import { FIELD_MANAGER } from '../../../api/karmada.ts';
import { isWritten } from '../../../kubernetes/conditional-write.ts';
import { keyOf } from '../../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/worker.ts';
import type { BackupTools } from '../pods/backup-objects.ts';

const finalizersOf = ({ metadata }: KarmadaBackup): readonly string[] => metadata.finalizers ?? [];

export const hasFinalizer = (backup: KarmadaBackup, finalizer: string): boolean =>
  finalizersOf(backup).includes(finalizer);

/** Sets a finalizer. @throws ApiError, NetworkError */
export const addFinalizer = (
  backup: KarmadaBackup,
  finalizer: string,
  tools: BackupTools,
): Promise<ReconcileResult> => patch(backup, [...finalizersOf(backup), finalizer], tools);

/** Removes a finalizer. @throws ApiError, NetworkError */
export const removeFinalizer = (
  backup: KarmadaBackup,
  finalizer: string,
  tools: BackupTools,
): Promise<ReconcileResult> =>
  patch(
    backup,
    finalizersOf(backup).filter((one) => one !== finalizer),
    tools,
  );

async function patch(
  backup: KarmadaBackup,
  finalizers: readonly string[],
  { client }: BackupTools,
): Promise<ReconcileResult> {
  const { resourceVersion = '' } = backup.metadata;
  const change = { metadata: { resourceVersion, finalizers } };
  const options = { fieldManager: FIELD_MANAGER };
  await isWritten(client.patch(karmadaBackups, keyOf(backup), change, options));
  return {};
}
