/** Decides whether a Karmada may use a Secret that one of its fields references (pure functions). */
import type { ObjectMeta } from '../../kubernetes/objects/object.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';
import type { ExternalEtcd, Karmada, SecretReference } from '../karmada.ts';

/** Annotation that the owner sets on a Secret: comma-separated namespaces whose Karmadas may use it, or `*` for all. */
export const ALLOWED_NAMESPACES_ANNOTATION = 'operator.karmada.io/allowed-namespaces';

/** `Granted`: a Secret in another namespace requires the annotation. `Any`: it does not. */
export const CROSS_NAMESPACE_SECRETS = ['Granted', 'Any'] as const;
export type CrossNamespaceSecrets = (typeof CROSS_NAMESPACE_SECRETS)[number];

/** Name and namespace of a Karmada. */
export interface KarmadaRef {
  readonly name: string;
  readonly namespace: string;
}

/** Reference from a field of a Karmada to a Secret. */
export interface SecretUse {
  /** Such as `spec.hostCluster.secretRef`. */
  readonly field: string;
  readonly user: KarmadaRef;
}

export interface SecretPolicy {
  readonly crossNamespace: CrossNamespaceSecrets;
  /**
   * Returns the control plane for which the operator created a Secret, or `unknown` if the Secret does not name it.
   * Undefined for a Secret that the operator did not create.
   */
  readonly madeFor: (secret: ObjectMeta) => KarmadaRef | 'unknown' | undefined;
}

/** Reason why a Karmada may not use a Secret, with what to do. */
export interface SecretRefusal {
  readonly reason: 'SecretNotGranted' | 'SecretOfOtherControlPlane' | 'HostServerNotGranted';
  readonly message: string;
}

/**
 * Decides whether a Karmada may use a Secret.
 * @param secret metadata of the Secret, from the read that also returned the data
 * @returns the rejection, or undefined if the Karmada may use the Secret
 */
export function secretRefusal(
  secret: ObjectMeta,
  use: SecretUse,
  policy: SecretPolicy,
): SecretRefusal | undefined {
  const { field, user } = use;
  const { name, namespace = '' } = secret;
  // Before all others: the user learns nothing about a Secret that is not granted.
  if (needsGrant(secret, user, policy) && !isGranted(secret, user.namespace))
    return notGranted({ name, namespace }, use);
  const owner = policy.madeFor(secret);
  if (owner !== undefined && !isSameKarmada(owner, user)) {
    const whose =
      owner === 'unknown' ? 'another control plane' : `Karmada ${owner.namespace}/${owner.name}`;
    return {
      reason: 'SecretOfOtherControlPlane',
      message: `${field}: the operator created Secret ${namespace}/${name} for ${whose}; reference a Secret with separate credentials`,
    };
  }
  return undefined;
}

/**
 * Decides about a reference to a Secret.
 * @param found metadata of the Secret; undefined if it does not exist
 */
export const referenceRefusal = (
  named: KarmadaRef,
  found: ObjectMeta | undefined,
  use: SecretUse,
  policy: SecretPolicy,
): SecretRefusal | undefined =>
  found ? secretRefusal(found, use, policy) : missingRefusal(named, use, policy);

/**
 * Decides about a Secret that does not exist. In another namespace the answer is that for a Secret without a grant, so that nobody can
 * find out which Secrets exist there.
 * @returns undefined if the Karmada may know that the Secret does not exist
 */
export const missingRefusal = (
  secret: KarmadaRef,
  use: SecretUse,
  policy: SecretPolicy,
): SecretRefusal | undefined =>
  needsGrant(secret, use.user, policy) ? notGranted(secret, use) : undefined;

/** Whether the owner of a Secret must consent to its use: it is in another namespace. */
export const needsGrant = (
  secret: Pick<ObjectMeta, 'namespace'>,
  user: Pick<KarmadaRef, 'namespace'>,
  { crossNamespace }: Pick<SecretPolicy, 'crossNamespace'>,
): boolean => (secret.namespace ?? '') !== user.namespace && crossNamespace !== 'Any';

const notGranted = (
  { name, namespace }: KarmadaRef,
  { field, user }: SecretUse,
): SecretRefusal => ({
  reason: 'SecretNotGranted',
  message: `${field}: Secret ${namespace}/${name} does not exist, or does not allow Karmadas of namespace ${user.namespace}; its owner must set the annotation ${ALLOWED_NAMESPACES_ANNOTATION}: "${user.namespace}"`,
});

/** Whether the owner of a Secret is this Karmada. @param owner see `SecretPolicy.madeFor` */
export const isSameKarmada = (
  owner: ReturnType<SecretPolicy['madeFor']>,
  { name, namespace }: KarmadaRef,
): boolean => typeof owner === 'object' && owner.name === name && owner.namespace === namespace;

/** A list above the limit, which only the API server of a host cluster can send, grants nothing. */
function isGranted({ annotations }: ObjectMeta, namespace: string): boolean {
  const text = annotations?.[ALLOWED_NAMESPACES_ANNOTATION] ?? '';
  if (text.length > UNTRUSTED.record) return false;
  const allowed = text.split(',').map((entry) => entry.trim());
  return allowed.includes('*') || allowed.includes(namespace);
}

/** Secret that a field references. */
export interface NamedSecret {
  readonly field: string;
  readonly secret: KarmadaRef;
  /** Cluster that contains the Secret. */
  readonly cluster: 'management' | 'host';
}

export const HOST_SECRET_FIELD = 'spec.hostCluster.secretRef';
export const AUTHORITY_SECRET_FIELD = 'spec.customCertificate.apiServerCACert';
export const ETCD_SECRET_FIELD = 'spec.components.etcd.external.secretRef';

/** Returns the Secrets in other namespaces that a Karmada references. */
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
