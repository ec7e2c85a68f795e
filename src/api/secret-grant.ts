/** Whether a Karmada may use a Secret that one of its fields names: pure. */
import type { ObjectMeta } from '../kubernetes/object.ts';
import type { ExternalEtcd, Karmada, SecretReference } from './karmada.ts';

/** On a Secret, set by its owner: namespaces whose Karmadas may use it, separated by commas, or `*` for all. */
export const ALLOWED_NAMESPACES_ANNOTATION = 'operator.karmada.io/allowed-namespaces';

/** `Granted`: a Secret in another namespace needs the annotation; `Any`: it does not. */
export const CROSS_NAMESPACE_SECRETS = ['Granted', 'Any'] as const;
export type CrossNamespaceSecrets = (typeof CROSS_NAMESPACE_SECRETS)[number];

/** A Karmada by name. */
export interface KarmadaRef {
  readonly name: string;
  readonly namespace: string;
}

/** Which Karmada names a Secret, and in which field. */
export interface SecretUse {
  /** Such as `spec.hostCluster.secretRef`. */
  readonly field: string;
  readonly user: KarmadaRef;
}

export interface SecretPolicy {
  readonly crossNamespace: CrossNamespaceSecrets;
  /**
   * The control plane that the operator made a Secret for; `unknown` when the Secret does not tell which. Undefined for a
   * Secret that the operator did not make.
   */
  readonly madeFor: (secret: ObjectMeta) => KarmadaRef | 'unknown' | undefined;
}

/** Why a Secret is not used, with what helps. */
export interface SecretRefusal {
  readonly reason: 'SecretNotGranted' | 'SecretOfOtherControlPlane';
  readonly message: string;
}

/**
 * Whether a Karmada may not use a Secret.
 * @param secret metadata of the Secret, as it was read for this use
 * @returns undefined when it may
 */
export function secretRefusal(
  secret: ObjectMeta,
  { field, user }: SecretUse,
  { crossNamespace, madeFor }: SecretPolicy,
): SecretRefusal | undefined {
  const { name, namespace = '' } = secret;
  const owner = madeFor(secret);
  if (owner !== undefined && !isSame(owner, user)) {
    const whose =
      owner === 'unknown' ? 'another control plane' : `Karmada ${owner.namespace}/${owner.name}`;
    return {
      reason: 'SecretOfOtherControlPlane',
      message: `${field}: the operator made Secret ${namespace}/${name} for ${whose}; name a Secret with credentials of its own`,
    };
  }
  if (namespace === user.namespace || crossNamespace === 'Any') return undefined;
  if (isGranted(secret, user.namespace)) return undefined;
  return {
    reason: 'SecretNotGranted',
    message: `${field}: Secret ${namespace}/${name} does not allow Karmadas of namespace ${user.namespace}; its owner allows them with the annotation ${ALLOWED_NAMESPACES_ANNOTATION}: "${user.namespace}"`,
  };
}

const isSame = (one: KarmadaRef | 'unknown', other: KarmadaRef): boolean =>
  one !== 'unknown' && one.name === other.name && one.namespace === other.namespace;

function isGranted({ annotations }: ObjectMeta, namespace: string): boolean {
  const allowed = (annotations?.[ALLOWED_NAMESPACES_ANNOTATION] ?? '')
    .split(',')
    .map((entry) => entry.trim());
  return allowed.includes('*') || allowed.includes(namespace);
}

/** Where a Secret is that a field names. */
export interface NamedSecret {
  readonly field: string;
  readonly secret: KarmadaRef;
  /** Cluster that has it. */
  readonly cluster: 'management' | 'host';
}

export const HOST_SECRET_FIELD = 'spec.hostCluster.secretRef';
export const AUTHORITY_SECRET_FIELD = 'spec.customCertificate.apiServerCACert';
export const ETCD_SECRET_FIELD = 'spec.components.etcd.external.secretRef';

/** Secrets in other namespaces that a Karmada names. */
export function secretsElsewhere({
  metadata,
  spec,
}: Pick<Karmada, 'metadata' | 'spec'>): readonly NamedSecret[] {
  const external: Partial<ExternalEtcd> | undefined = spec?.components?.etcd?.external;
  const named = [
    [HOST_SECRET_FIELD, spec?.hostCluster?.secretRef, 'management'],
    [AUTHORITY_SECRET_FIELD, spec?.customCertificate?.apiServerCACert, 'host'],
    [ETCD_SECRET_FIELD, external?.secretRef, 'management'],
  ] as const satisfies readonly (readonly [
    string,
    SecretReference | undefined,
    NamedSecret['cluster'],
  ])[];
  return named.flatMap(([field, reference, cluster]) => {
    const { name, namespace } = reference ?? {};
    if (!name || !namespace || namespace === metadata.namespace) return [];
    return [{ field, secret: { name, namespace }, cluster }];
  });
}
