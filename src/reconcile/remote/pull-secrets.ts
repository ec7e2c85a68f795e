/**
 * The Secrets that pull images, on a host other than the operator's own cluster: copies of those beside the Karmada. One
 * that is on the host already, and not made here, is left alone.
 */
import type { Karmada } from '../../api/karmada.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { reduceSecret } from '../../kubernetes/reduce.ts';
import { resources } from '../../kubernetes/resources.ts';
import type { Host, Local } from '../host.ts';
import {
  byIdentity,
  COMPONENT,
  identity,
  INSTANCE,
  isOurs,
  MANAGED_BY,
  MANAGER,
} from '../objects.ts';
import type { Snapshot } from '../snapshot.ts';

/** Value of `app.kubernetes.io/name` on a copy: no other Secret of an instance has it, or is written here. */
const COPY = 'pull-secret';

/** Only these are copied, whatever a Karmada names. */
const TYPES: ReadonlySet<unknown> = new Set([
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/dockercfg',
]);

/** Keeps the copies equal to the Secrets beside the Karmada. @throws ApiError, NetworkError when a call fails */
export async function keepPullSecrets(
  { local }: { readonly local: Pick<Local, 'client'> },
  { applier }: Pick<Host, 'applier'>,
  { karmada, spec, host }: Pick<Snapshot, 'karmada' | 'spec' | 'host'>,
): Promise<void> {
  const { name: instance, namespace = '' } = karmada.metadata;
  const cached = byIdentity(host.objects);
  for (const { name } of spec.imagePullSecrets ?? []) {
    const source = await local.client.find(resources.Secret, { namespace, name });
    const desired = source && copyOf(source, karmada);
    if (desired === undefined) continue;
    const owns = (live: KubernetesObject): boolean => isOurs(live, instance) && isPullSecret(live);
    const known = cached.get(identity(desired));
    await applier.apply({ desired, owns, reduce: reduceSecret, ...(known && { cached: known }) });
  }
}

/** What the copy of a Secret is; undefined for one that pulls no images. */
export function copyOf(
  source: KubernetesObject,
  { metadata }: Pick<Karmada, 'metadata'>,
): KubernetesObject | undefined {
  const { name, namespace = '' } = source.metadata;
  if (!TYPES.has(source['type'])) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { [MANAGED_BY]: MANAGER, [INSTANCE]: metadata.name, [COMPONENT]: COPY },
    },
    type: source['type'],
    data: source['data'],
  };
}

/** Whether a Secret is a copy that was made here. */
export const isPullSecret = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Secret' && metadata.labels?.[COMPONENT] === COPY;
