/**
 * Copies image pull Secrets from the namespace of the Karmada to a remote host cluster. The operator does not touch a
 * Secret there that it did not create.
 */
import type { Karmada } from '../../api/karmada.ts';
import { secretRefusal, type SecretPolicy } from '../../api/secrets/secret-grant.ts';
import { byIdentity, identity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { hashSecretValues } from '../../kubernetes/objects/cache-transform.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { Host, ManagementCluster } from '../../host-clusters/host.ts';
import { COMPONENT, instanceLabels, isOurs } from '../../api/labels.ts';
import type { CopyPullSecret } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Value of `app.kubernetes.io/name` that only these copies have. The operator overwrites no other Secret here. */
const COPY = 'pull-secret';

/** Types that are copied. A Secret of any other type never leaves the management cluster. */
const TYPES: ReadonlySet<unknown> = new Set([
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/dockercfg',
]);

export interface PullSecretTools {
  readonly local: Pick<ManagementCluster, 'client'>;
  readonly host: Pick<Host, 'applier'>;
  readonly secretPolicy: SecretPolicy;
}

/** Returns one copy action for each pull Secret of the spec. The sources are read live, since no cache has them. */
export function pullSecretActions({
  karmada,
  spec,
  host,
}: Pick<Snapshot, 'karmada' | 'spec' | 'host'>): readonly CopyPullSecret[] {
  const { namespace = '' } = karmada.metadata;
  const known = byIdentity(host.objects);
  return (spec.imagePullSecrets ?? []).map(({ name }) => {
    const cached = known.get(identity({ ...SECRET, metadata: { name, namespace } }));
    return { kind: 'copyPullSecret', name, ...(cached && { cached }) };
  });
}

const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;

/**
 * Copies one pull Secret. It skips Secrets of other types and those that the policy does not grant to the Karmada.
 * @throws ApiError, NetworkError
 */
export async function copyPullSecret(
  { local, host: { applier }, secretPolicy }: PullSecretTools,
  karmada: Pick<Karmada, 'metadata'>,
  { name, cached }: CopyPullSecret,
): Promise<Done> {
  const { name: instance, namespace = '' } = karmada.metadata;
  const source = await local.client.find(resources.Secret, { namespace, name });
  const use = { field: 'spec.imagePullSecrets', user: { name: instance, namespace } };
  if (source && secretRefusal(source.metadata, use, secretPolicy)) return {};
  const desired = source && copyOf(source, karmada);
  if (desired === undefined) return {};
  const owns = (live: KubernetesObject): boolean => isOurs(live, instance) && isPullSecret(live);
  await applier.apply({ desired, owns, reduce: hashSecretValues, ...(cached && { cached }) });
  return {};
}

/** Returns the copy of a Secret, with type and data only; undefined for a Secret of another type. */
export function copyOf(
  source: KubernetesObject,
  { metadata }: Pick<Karmada, 'metadata'>,
): KubernetesObject | undefined {
  const { name, namespace = '' } = source.metadata;
  if (!TYPES.has(source['type'])) return undefined;
  return {
    ...SECRET,
    metadata: {
      name,
      namespace,
      labels: instanceLabels(metadata.name, COPY),
    },
    type: source['type'],
    data: source['data'],
  };
}

/** Whether a Secret is a copy that the operator created. */
export const isPullSecret = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Secret' && metadata.labels?.[COMPONENT] === COPY;
