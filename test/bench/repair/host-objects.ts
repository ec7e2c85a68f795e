/** Repairs of the objects of a control plane in its host cluster, read through one client, so that times are exact to some milliseconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { INSTANCE, MANAGED_BY, MANAGER } from '../../../src/api/labels.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';

/** An object and its kind. */
export interface HostObject {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
}

/** Changes an object. `isRestored` recognizes the repair. */
interface HostDamage {
  readonly act: () => Promise<unknown>;
  readonly isRestored: (now: KubernetesObject) => boolean;
}

type Client = Pick<KubernetesClient, 'list' | 'find' | 'patch' | 'delete'>;

const INTERVAL_MS = 10;
const DEADLINE_MS = 60_000;

const TYPES: readonly ResourceType[] = [
  resources.Deployment,
  resources.StatefulSet,
  resources.Service,
  resources.Secret,
];

/** Lists what the operator created for a control plane in the host cluster. */
export async function hostObjects(
  client: Client,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<readonly HostObject[]> {
  const labelSelector = `${MANAGED_BY}=${MANAGER},${INSTANCE}=${name}`;
  const lists = await Promise.all(
    TYPES.map(async (type) => ({
      type,
      page: await client.list(type, { namespace, labelSelector }),
    })),
  );
  return lists.flatMap(({ type, page }) => page.items.map((object) => ({ type, object })));
}

const keyOf = ({ metadata }: KubernetesObject): { name: string; namespace: string } => ({
  name: metadata.name,
  namespace: metadata.namespace ?? '',
});

const REVISIONS = 9;
const PORT = 1;
const VALUE = Buffer.from('edited').toString('base64');

interface Port {
  readonly targetPort?: unknown;
}

const portsOf = ({ spec }: KubernetesObject): readonly Port[] =>
  (spec as { readonly ports?: readonly Port[] }).ports ?? [];

const dataOf = (object: KubernetesObject): Readonly<Record<string, string>> =>
  (object['data'] ?? {}) as Readonly<Record<string, string>>;

/** A merge patch, and whether an object does not have its value any more. */
interface Edit {
  readonly patch: object;
  readonly isGone: (now: KubernetesObject) => boolean;
}

function editOf({ type, object }: HostObject): Edit | undefined {
  if (type === resources.Service) return editOfService(object);
  if (type === resources.Secret) return editOfSecret(object);
  const revisions = ({ spec }: KubernetesObject): unknown =>
    (spec as { readonly revisionHistoryLimit?: unknown }).revisionHistoryLimit;
  return {
    patch: { spec: { revisionHistoryLimit: REVISIONS } },
    isGone: (now) => revisions(now) !== REVISIONS,
  };
}

function editOfService(object: KubernetesObject): Edit | undefined {
  const [first, ...others] = portsOf(object);
  if (first === undefined) return undefined;
  return {
    patch: { spec: { ports: [{ ...first, targetPort: PORT }, ...others] } },
    isGone: (now) => portsOf(now)[0]?.targetPort !== PORT,
  };
}

/** A damaged certificate is reissued, so its former value may not come back. */
function editOfSecret(object: KubernetesObject): Edit | undefined {
  const [key] = Object.keys(dataOf(object)).sort();
  if (key === undefined) return undefined;
  return {
    patch: { data: { [key]: VALUE } },
    isGone: (now) => ![undefined, VALUE].includes(dataOf(now)[key]),
  };
}

/** Overwrites a field that the operator sets. @returns undefined if the object has none */
export function hostEdit(client: Client, subject: HostObject): HostDamage | undefined {
  const edit = editOf(subject);
  if (edit === undefined) return undefined;
  const { type, object } = subject;
  return { act: () => client.patch(type, keyOf(object), edit.patch), isRestored: edit.isGone };
}

/** Deletes an object. @returns undefined for the StatefulSet of etcd, whose Pods would end too */
export function hostDeletion(client: Client, { type, object }: HostObject): HostDamage | undefined {
  if (type === resources.StatefulSet) return undefined;
  return {
    act: () => client.delete(type, keyOf(object)),
    isRestored: ({ metadata }) =>
      metadata.uid !== object.metadata.uid && metadata.deletionTimestamp === undefined,
  };
}

/**
 * Damages an object, and waits until the operator has repaired it.
 * @returns milliseconds since the API server has acknowledged the damage
 * @throws Error if the object is not repaired within a minute
 */
export async function timeOfRepair(
  client: Client,
  { type, object }: HostObject,
  { act, isRestored }: HostDamage,
): Promise<number> {
  await act();
  const began = performance.now();
  for (;;) {
    const now = await client.find(type, keyOf(object));
    const tookMs = performance.now() - began;
    if (now !== undefined && isRestored(now)) return tookMs;
    if (tookMs > DEADLINE_MS)
      throw new Error(`${object.kind} ${object.metadata.name}: not restored within a minute`);
    await sleep(INTERVAL_MS);
  }
}
