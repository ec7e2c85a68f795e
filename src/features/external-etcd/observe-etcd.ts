/** State of an external etcd for a reconcile. Health checks run in the background and never block. */
import { etcdClientSecret, type EtcdClientSecret } from '../../api/external-etcd.ts';
import type { ExternalEtcd, Karmada } from '../../api/karmada.ts';
import type { EtcdCheckRequest } from '../../external-etcd/check.ts';
import type { ExternalEtcds } from '../../external-etcd/external-etcds.ts';
import { etcdPrefixes } from '../../external-etcd/prefix-conflict.ts';
import { keyOf, keyText } from '../../kubernetes/objects/resources.ts';
import { clusterUid, type Host, type ManagementCluster } from '../../host-clusters/host.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../../instance/snapshot.ts';

export interface EtcdTools {
  readonly local: Pick<ManagementCluster, 'karmadas'>;
  readonly host: Pick<Host, 'namespaces'>;
  readonly etcds: Pick<ExternalEtcds, 'of' | 'earlierUserOf' | 'forget'>;
}

/**
 * Returns the last known state of the external etcd.
 * @param key `namespace/name` of the Karmada
 * @returns undefined for a local etcd
 */
export function observeEtcd(
  { local, host, etcds }: EtcdTools,
  key: string,
  { karmada, spec }: Pick<Snapshot, 'karmada' | 'spec'>,
): ExternalEtcdSnapshot | undefined {
  const { external } = spec.components.etcd;
  if (external === undefined) {
    etcds.forget(key);
    return undefined;
  }
  const { uid = '', generation = 0 } = karmada.metadata;
  const { secret, want } = etcdToCheck(karmada, spec, external);
  const check = etcds.of(key, `${uid}/${generation}`, want);
  const older = etcds.earlierUserOf(karmada, local.karmadas.cache.list());
  const hostUID = clusterUid(host);
  return {
    secret,
    check,
    ...(hostUID !== undefined && { hostUID }),
    ...(older && { older: keyText(keyOf(older)) }),
  };
}

/** Returns what to check of an external etcd, and the Secret with its client credentials. */
export function etcdToCheck(
  { metadata }: Pick<Karmada, 'metadata'>,
  { hostCluster, components }: Pick<Snapshot['spec'], 'hostCluster' | 'components'>,
  external: ExternalEtcd,
): { readonly secret: EtcdClientSecret; readonly want: EtcdCheckRequest } {
  const { name, namespace = '' } = metadata;
  const secret = etcdClientSecret(metadata, external);
  const { dnsDomain } = hostCluster.networking;
  const { endpoints } = external;
  const copy = secret.copied ? { copy: secret.mounted } : {};
  const want = {
    namespace,
    dnsDomain,
    endpoints,
    secret: secret.source,
    karmada: name,
    ...copy,
    prefixes: etcdPrefixes(components),
  };
  return { secret, want };
}
