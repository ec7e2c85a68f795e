/** Stores defaults, finalizer and label in a Karmada, like the upstream operator. */
import { defaultsPatch, managedDefaults } from '../api/managed-defaults.ts';
import {
  API_VERSION,
  DEFAULTS_FIELD_MANAGER,
  DISABLE_CASCADING_DELETION_LABEL,
  FINALIZER,
  KIND,
  type Karmada,
} from '../api/karmada.ts';
import type { KubernetesObject, ObjectMeta } from '../kubernetes/object.ts';
import {
  hasDefaultStorageClass,
  karmadas,
  type Host,
  type ManagementCluster,
} from '../host-clusters/host.ts';
import type { InstanceCache } from './instance-cache.ts';

const generationOf = ({ metadata }: Pick<Karmada, 'metadata'>): string =>
  `${metadata.uid ?? ''}/${metadata.generation ?? 0}/${metadata.finalizers?.join() ?? ''}`;

/**
 * Stores the defaults of a Karmada. Reads the live object once per generation, because the cache contains no managed
 * fields.
 * @returns the Karmada with stored defaults; undefined if it was deleted
 */
export async function storeDefaultsAndFinalizer(
  { local, host }: { readonly local: Pick<ManagementCluster, 'client'>; readonly host: Host },
  instance: InstanceCache,
  cached: Karmada,
): Promise<Karmada | undefined> {
  if (instance.prepared === generationOf(cached)) return cached;
  const { name, namespace = '' } = cached.metadata;
  const live = await local.client.find(karmadas, { namespace, name });
  if (live === undefined || live.metadata.uid !== cached.metadata.uid) return undefined;
  const intent = defaultsIntent(live as unknown as Karmada, {
    defaultStorageClass: hasDefaultStorageClass(host),
  });
  const current =
    intent === undefined
      ? live
      : await local.client.apply(intent, { fieldManager: DEFAULTS_FIELD_MANAGER, force: true });
  instance.prepared = generationOf(current);
  return current as unknown as Karmada;
}

/** Server-side apply intent of the defaults field manager; undefined if nothing is missing. */
function defaultsIntent(
  karmada: Karmada,
  facts: { readonly defaultStorageClass: boolean },
): KubernetesObject | undefined {
  const { labels, finalizers } = karmada.metadata;
  const patch = defaultsPatch(karmada, facts);
  const cascading = labels?.[DISABLE_CASCADING_DELETION_LABEL];
  const complete = finalizers?.includes(FINALIZER) === true && cascading !== undefined;
  if (patch === undefined && complete) return undefined;
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: {
      ...guard(karmada),
      finalizers: [FINALIZER],
      // A different value was set by the user, who keeps its ownership.
      ...((cascading ?? 'false') === 'false' && {
        labels: { [DISABLE_CASCADING_DELETION_LABEL]: 'false' },
      }),
    },
    spec: patch ?? managedDefaults(karmada),
  };
}

/** Preconditions: UID and resourceVersion of the object. */
function guard({ metadata }: Pick<Karmada, 'metadata'>): ObjectMeta {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
