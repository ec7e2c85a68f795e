/** Which control planes the operator backs up and restores: pure. */
import type { Karmada } from '../../api/karmada.ts';
import { volumeKind } from '../../components/etcd/etcd.ts';

/** Why a control plane is neither backed up nor restored; undefined if it is. */
export function unsupported({ spec }: Karmada): string | undefined {
  if (spec?.components?.etcd?.external !== undefined)
    return 'the Karmada uses an external etcd, which the operator neither backs up nor restores';
  if (spec?.hostCluster?.secretRef?.name)
    return 'backups and restores of control planes in a remote host cluster are not supported';
  return undefined;
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
