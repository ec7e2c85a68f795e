/** Which control planes the operator backs up and restores: pure. */
import type { Karmada } from '../../api/karmada.ts';

/** Why a control plane is neither backed up nor restored; undefined if it is. */
export function unsupported({ spec }: Karmada): string | undefined {
  if (spec?.components?.etcd?.external !== undefined)
    return 'the Karmada uses an external etcd, which the operator neither backs up nor restores';
  if (spec?.hostCluster?.secretRef?.name)
    return 'backups and restores of control planes in a remote host cluster are not supported';
  return undefined;
}
