/** What a pass knows of an external etcd. It is looked at in the background; nothing is waited for. */
import { etcdClientSecret } from '../../api/external-etcd.ts';
import type { Karmada } from '../../api/karmada.ts';
import type { ExternalEtcds } from '../../external-etcd/external-etcds.ts';
import { elderOnSameKeys } from '../../external-etcd/sharing.ts';
import { keyOf, keyText } from '../../kubernetes/resources.ts';
import type { Local } from '../../hosts/host.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../snapshot.ts';

export interface EtcdTools {
  readonly local: Pick<Local, 'karmadas'>;
  readonly etcds: Pick<ExternalEtcds, 'of' | 'forget'>;
}

/** @param key `namespace/name` of the Karmada @returns undefined for an instance with an etcd of its own */
export function observeEtcd(
  { local, etcds }: EtcdTools,
  key: string,
  { karmada, spec }: Pick<Snapshot, 'karmada' | 'spec'>,
): ExternalEtcdSnapshot | undefined {
  const { external } = spec.components.etcd;
  if (external === undefined) {
    etcds.forget(key);
    return undefined;
  }
  const { uid = '', generation = 0, namespace = '' } = karmada.metadata;
  const secret = etcdClientSecret(karmada.metadata, external);
  const { dnsDomain } = spec.hostCluster.networking;
  const { endpoints } = external;
  const { name } = karmada.metadata;
  const copy = secret.copied ? { copy: secret.mounted } : {};
  const want = { namespace, dnsDomain, endpoints, secret: secret.source, karmada: name, ...copy };
  const check = etcds.of(key, `${uid}/${generation}`, want);
  const elder = elderOnSameKeys(karmada, local.karmadas.cache.list() as unknown as Karmada[]);
  return { secret, check, ...(elder && { elder: keyText(keyOf(elder)) }) };
}
