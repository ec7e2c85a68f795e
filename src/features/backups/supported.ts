/** Which control planes the operator backs up and restores: pure. */
import type { KarmadaBackup, KarmadaBackupStore } from '../../api/backup/kinds.ts';
import type { Karmada } from '../../api/karmada.ts';
import { volumeKind } from '../../components/etcd/etcd.ts';

/** Why a control plane is neither backed up nor restored; undefined if it is. */
export const unsupported = ({ spec }: Karmada): string | undefined =>
  spec?.components?.etcd?.external === undefined
    ? undefined
    : 'the Karmada uses an external etcd, which the operator neither backs up nor restores';

/** Why the operator does not take a backup; undefined if it does. */
export function notTaken(
  karmada: Karmada,
  backup: KarmadaBackup,
  store: KarmadaBackupStore,
): string | undefined {
  const isRemote = Boolean(karmada.spec?.hostCluster?.secretRef?.name);
  if (isRemote && store.spec.volume !== undefined && backup.spec.deletionPolicy === 'Delete')
    return 'spec.deletionPolicy: files in a volume of a remote host cluster are not deleted; set Retain, or use a bucket';
  return unsupported(karmada);
}

/** Why a backup cannot replace the data of a control plane; undefined if it can. */
export function notRestorable(karmada: Karmada): string | undefined {
  const kind = volumeKind(karmada.spec?.components?.etcd?.local?.volumeData ?? {});
  return (
    unsupported(karmada) ??
    (kind === 'volumeClaim'
      ? undefined
      : `the data of etcd is in ${kind} volumes; a restore needs spec.components.etcd.local.volumeData.volumeClaim`)
  );
}
