/** Client certificate Secret of an external etcd (pure functions). */
import type { ExternalEtcd, Karmada } from './karmada.ts';
import { instanceName, SECRET_SUFFIX } from './naming.ts';

export interface EtcdClientSecret {
  /** The user's Secret. */
  readonly source: { readonly namespace: string; readonly name: string };
  /** Name of the Secret that Pods mount, in the namespace of the Karmada. */
  readonly mounted: string;
  /** Whether the mounted Secret is a copy that the operator maintains. */
  readonly copied: boolean;
}

/**
 * Determines the Secret that Pods mount. Why a copy: Pods can mount only Secrets of their own namespace. A Secret with
 * the name that the Go operator prescribes is mounted directly, so that its control planes do not change.
 */
export function etcdClientSecret(
  { name: karmada, namespace: own = '' }: Pick<Karmada['metadata'], 'name' | 'namespace'>,
  { secretRef }: ExternalEtcd,
): EtcdClientSecret {
  const { name = '', namespace } = secretRef;
  const source = { namespace: namespace || own, name };
  const prescribed = instanceName(karmada, SECRET_SUFFIX.etcdCert);
  const copied = source.namespace !== own || name !== prescribed;
  return {
    source,
    mounted: copied ? instanceName(karmada, SECRET_SUFFIX.etcdClient) : prescribed,
    copied,
  };
}

/** Whether a Karmada references this Secret for its external etcd. The operator must never change such a Secret. */
export function isNamedForEtcd(
  { metadata, spec }: Pick<Karmada, 'metadata' | 'spec'>,
  secret: { readonly namespace?: string; readonly name: string },
): boolean {
  const external = spec?.components?.etcd?.external;
  if (external === undefined) return false;
  const { source } = etcdClientSecret(metadata, external);
  return source.name === secret.name && source.namespace === secret.namespace;
}
