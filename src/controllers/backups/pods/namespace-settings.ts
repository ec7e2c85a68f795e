import type { Karmada } from '../../../api/karmada.ts';
import { BACKUPS, podSettingsOf } from '../../../api/defaults/pod-settings.ts';
import type { BackupClient } from '../../../features/backups/backup-cluster.ts';
import { karmadas } from '../../../host-clusters/host.ts';
import { reducedTo } from '../../../kubernetes/informers/reduced-list.ts';

type JobSettings = Required<Pick<NonNullable<Karmada['spec']>, 'imagePullSecrets' | 'podSettings'>>;

/**
 * Returns the settings of all Karmadas in a namespace, for Pods that belong to none of them: these pull the same image
 * and run on the same nodes. @throws ApiError, NetworkError
 */
export async function namespaceSettings(
  namespace: string,
  client: Pick<BackupClient, 'list'>,
): Promise<JobSettings> {
  const { items } = await client.list(karmadas, { namespace, ...reducedTo(withJobFields) });
  const specs = items.flatMap(({ spec }) => (spec ? [spec] : []));
  const all = specs.flatMap(({ imagePullSecrets = [] }) => imagePullSecrets);
  return {
    imagePullSecrets: [...new Map(all.map((one) => [one.name, one])).values()],
    podSettings: specs.flatMap(({ podSettings = [] }) => podSettings),
  };
}

function withJobFields({ apiVersion, kind, metadata, ...karmada }: Karmada): Karmada {
  const { imagePullSecrets = [], podSettings: given } = karmada.spec ?? {};
  // The Pods of backups get no variables, of which there may be many.
  const podSettings = podSettingsOf(given, BACKUPS).map(({ env: _, ...rest }) => rest);
  const { name, namespace = '' } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: { imagePullSecrets, podSettings },
  };
}
