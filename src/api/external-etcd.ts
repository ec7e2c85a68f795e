/** Which Secret an external etcd is reached with: pure. */
import type { ExternalEtcd, Karmada } from './karmada.ts';
import { instanceName, SECRET_SUFFIX } from './naming.ts';

export interface EtcdClientSecret {
  /** The user's Secret. */
  readonly source: { readonly namespace: string; readonly name: string };
  /** Name of the Secret that pods mount, beside the Karmada. */
  readonly mounted: string;
  /** Whether that is a copy which the operator keeps. */
  readonly copied: boolean;
}

/**
 * Pods can mount only what is beside them. The name that upstream prescribes is mounted as it is, so that instances of
 * upstream stay as they are; of anything else there is a copy.
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

/** Whether a Secret of that namespace and name is one that this Karmada names, and so never the operator's to change. */
export function isNamedForEtcd(
  { metadata, spec }: Pick<Karmada, 'metadata' | 'spec'>,
  secret: { readonly namespace?: string; readonly name: string },
): boolean {
  const external = spec?.components?.etcd?.external;
  if (external === undefined) return false;
  const { source } = etcdClientSecret(metadata, external);
  return source.name === secret.name && source.namespace === secret.namespace;
}
