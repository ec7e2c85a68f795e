/** Stores defaults, finalizer and label in a Karmada, like the upstream operator. */
import type { StoreDefaults } from '../../actions/karmada-action.ts';
import { executeActionsOrThrow, type ExecutorsOf } from '../../actions/execute-actions.ts';
import { hostFactsOf } from '../../host-clusters/host-facts.ts';
import { defaultsPatch, managedDefaults } from '../../api/defaults/managed-defaults.ts';
import {
  API_VERSION,
  DEFAULTS_FIELD_MANAGER,
  DISABLE_CASCADING_DELETION_LABEL,
  FINALIZER,
  KIND,
  type Karmada,
} from '../../api/karmada.ts';
import { FEATURES_ANNOTATION, featuresInUse } from '../../api/features.ts';
import type { ObjectMeta } from '../../kubernetes/objects/object.ts';
import type { HostFacts } from '../../api/defaults/defaults.ts';
import { isNotFound, isStatus } from '../../kubernetes/client/errors.ts';
import { karmadas, type Host, type ManagementCluster } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';

/** What the stored fields depend on. */
function preparationOf(karmada: Karmada): string {
  const { uid = '', generation = 0, finalizers = [] } = karmada.metadata;
  return `${uid}/${generation}/${finalizers.join()}/${featuresInUse(karmada) ?? ''}`;
}

/**
 * Stores the defaults of a Karmada. Reads the live object once per generation, because the cache contains no managed
 * fields, except those of a new Karmada.
 * @returns the Karmada with stored defaults; undefined if it was deleted
 */
export async function storeDefaultsAndFinalizer(
  { local, host }: { readonly local: Client; readonly host: Host },
  instance: InstanceCache,
  cached: Karmada,
): Promise<Karmada | undefined> {
  if (instance.prepared === preparationOf(cached)) return cached;
  const facts = hostFactsOf(host);
  const current =
    (await storedInNew(local, cached, facts)) ?? (await storedLive(local, cached, facts));
  if (current !== undefined) instance.prepared = preparationOf(current);
  return current;
}

type Client = Pick<ManagementCluster, 'client'>;

/** @returns undefined if the cached object lacks the managed fields, or if it is behind */
async function storedInNew(
  local: Client,
  cached: Karmada,
  facts: HostFacts,
): Promise<Karmada | undefined> {
  if (cached.metadata.managedFields === undefined) return undefined;
  try {
    return await storedIn(local, cached, facts);
  } catch (error) {
    if (isStatus(error, 409) || isNotFound(error)) return undefined;
    throw error;
  }
}

/** @returns undefined if the Karmada was deleted */
async function storedLive(
  local: Client,
  { metadata: { name, namespace = '', uid } }: Karmada,
  facts: HostFacts,
): Promise<Karmada | undefined> {
  const live = await local.client.find(karmadas, { namespace, name });
  if (live === undefined || live.metadata.uid !== uid) return undefined;
  return storedIn(local, live, facts);
}

/** @returns the Karmada as it is stored after this. @throws ApiError with 409 if it has changed since it was read */
async function storedIn(local: Client, karmada: Karmada, facts: HostFacts): Promise<Karmada> {
  const intent = defaultsIntent(karmada, facts);
  return intent === undefined ? karmada : stored(local, intent);
}

/** Executor of the write, which the API server rejects if the Karmada has changed since it was read. */
const defaultsExecutors = ({ client }: Client): ExecutorsOf<StoreDefaults> => ({
  storeDefaults: async ({ intent }) => {
    const options = { fieldManager: DEFAULTS_FIELD_MANAGER, force: true };
    return { writes: 1, live: [STORED, await client.apply(intent, options)] };
  },
});

/** Key of the Karmada in the result. */
const STORED = 'karmada';

/** @returns the Karmada with the fields of the operator */
async function stored(local: Client, intent: Karmada): Promise<Karmada> {
  const action = { kind: 'storeDefaults', intent } as const;
  const { live } = await executeActionsOrThrow(defaultsExecutors(local), [action]);
  return (live.get(STORED) ?? intent) as Karmada;
}

/** Server-side apply intent of the defaults field manager; undefined if nothing is missing. */
function defaultsIntent(karmada: Karmada, facts: HostFacts): Karmada | undefined {
  const features = featuresInUse(karmada);
  const patch = defaultsPatch(karmada, facts);
  const cascading = karmada.metadata.labels?.[DISABLE_CASCADING_DELETION_LABEL];
  if (patch === undefined && hasStoredMetadata(karmada, features)) return undefined;
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: {
      ...guard(karmada),
      finalizers: [FINALIZER],
      ...(features !== undefined && { annotations: { [FEATURES_ANNOTATION]: features } }),
      // A different value was set by the user, who keeps its ownership.
      ...((cascading ?? 'false') === 'false' && {
        labels: { [DISABLE_CASCADING_DELETION_LABEL]: 'false' },
      }),
    },
    spec: patch ?? managedDefaults(karmada),
  };
}

/** Whether the metadata that the operator stores is there. @param features value of the annotation */
function hasStoredMetadata({ metadata }: Karmada, features: string | undefined): boolean {
  const { labels = {}, finalizers = [], annotations = {} } = metadata;
  return (
    finalizers.includes(FINALIZER) &&
    DISABLE_CASCADING_DELETION_LABEL in labels &&
    annotations[FEATURES_ANNOTATION] === features
  );
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
