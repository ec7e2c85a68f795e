/**
 * The Secrets that pull images, on a host other than the operator's own cluster: copies of those beside the Karmada. One
 * that is on the host already, and not made here, is left alone.
 */
import type { Karmada } from '../../api/karmada.ts';
import { secretRefusal, type SecretPolicy } from '../../api/secret-grant.ts';
import { byIdentity, identity, type KubernetesObject } from '../../kubernetes/object.ts';
import { reduceSecret } from '../../kubernetes/reduce.ts';
import { resources } from '../../kubernetes/resources.ts';
import type { Host, Local } from '../../hosts/host.ts';
import { COMPONENT, instanceLabels, isOurs } from '../../api/labels.ts';
import type { CopyPullSecret } from '../action.ts';
import type { Done } from '../outcome.ts';
import type { Snapshot } from '../snapshot.ts';

/** Value of `app.kubernetes.io/name` on a copy: no other Secret of an instance has it, or is written here. */
const COPY = 'pull-secret';

/** Only these are copied, whatever a Karmada names. */
const TYPES: ReadonlySet<unknown> = new Set([
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/dockercfg',
]);

export interface PullSecretTools {
  readonly local: Pick<Local, 'client'>;
  readonly host: Pick<Host, 'applier'>;
  readonly secretPolicy: SecretPolicy;
}

/** The actions that keep the copies equal to the Secrets beside the Karmada, which no cache has. */
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

/** Copies one of them, unless it is none that pulls images, or another tenant's. @throws ApiError, NetworkError */
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
  await applier.apply({ desired, owns, reduce: reduceSecret, ...(cached && { cached }) });
  return {};
}

/** What the copy of a Secret is; undefined for one that pulls no images. */
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

/** Whether a Secret is a copy that was made here. */
export const isPullSecret = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Secret' && metadata.labels?.[COMPONENT] === COPY;
