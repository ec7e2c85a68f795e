/** Finds control planes without a Karmada object: in caches while the operator runs, and by lists for the CLI flag. */
import type { ExplicitAccess } from '../kubernetes/connection/connection.ts';
import type { KubernetesClient, ListOptions } from '../kubernetes/client/client-interface.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import {
  apiVersionOf,
  keyOf,
  keyText,
  resources,
  type ResourceType,
} from '../kubernetes/objects/resources.ts';
import { hostIdentity, hostReference, isHostInUse } from '../host-clusters/host-reference.ts';
import { readHostSecret } from '../host-clusters/read-host-secret.ts';
import { karmadas, type Host, type ManagementCluster } from '../host-clusters/host.ts';
import { MANAGED_BY, MANAGER } from '../api/labels.ts';
import { orphansIn, orphanText, type Orphan } from './orphans.ts';

const KINDS = [resources.Deployment, resources.StatefulSet] as const;

const keysOf = (all: readonly KubernetesObject[]): ReadonlySet<string> =>
  new Set(all.map((karmada) => keyText(keyOf(karmada))));

/**
 * Orphaned control planes in the caches. A read from the API server confirms that the Karmada object does not exist.
 * @throws ApiError, NetworkError when that read fails
 */
export async function cachedOrphans(
  local: Pick<ManagementCluster, 'client' | 'karmadas' | 'owned'>,
  others: readonly Host[],
): Promise<readonly Orphan[]> {
  const keys = keysOf(local.karmadas.cache.list());
  const workloads = ({ owned }: Pick<Host, 'owned'>): KubernetesObject[] =>
    owned
      .filter(({ type }) => KINDS.some(({ kind }) => kind === type.kind))
      .flatMap(({ cache }) => cache.list());
  return confirmed(local, [
    ...fewOfEach(orphansIn(workloads(local), keys)),
    ...others.flatMap((host) =>
      orphansIn(workloads(host), keys, host.remote?.server).slice(0, MAX_REMOTE),
    ),
  ]);
}

/** Orphans of a remote host cluster that are examined, which may report any number of them. */
const MAX_REMOTE = 100;
/** Orphans of a namespace of the management cluster that are examined. Its users may create any number of labeled workloads. */
const MAX_OF_NAMESPACE = 100;
/** Reads at once. */
const AT_ONCE = 16;

/** Selects the first ones of each namespace. */
function fewOfEach(orphans: readonly Orphan[]): readonly Orphan[] {
  const counts = new Map<string, number>();
  return orphans.filter(({ namespace }) => {
    const count = (counts.get(namespace) ?? 0) + 1;
    counts.set(namespace, count);
    return count <= MAX_OF_NAMESPACE;
  });
}

/** Selects those without a Karmada object. */
async function confirmed(
  { client }: Pick<ManagementCluster, 'client'>,
  orphans: readonly Orphan[],
): Promise<readonly Orphan[]> {
  const found: Orphan[] = [];
  for (let start = 0; start < orphans.length; start += AT_ONCE) {
    const group = orphans.slice(start, start + AT_ONCE);
    const live = await Promise.all(
      group.map(({ namespace, name }) => client.find(karmadas, { namespace, name })),
    );
    found.push(...group.filter((_, index) => live[index] === undefined));
  }
  return found;
}

type Lister = Pick<KubernetesClient, 'list'>;

/** Lists the objects of these namespaces; of all if undefined. */
async function listIn<T extends KubernetesObject>(
  client: Lister,
  type: ResourceType<T>,
  namespaces: readonly string[] | undefined,
  options: Omit<ListOptions<T>, 'namespace'> = {},
): Promise<T[]> {
  const places = namespaces?.map((namespace) => ({ namespace })) ?? [{}];
  const lists = places.map((place) => client.list(type, { ...options, ...place }));
  return (await Promise.all(lists)).flatMap(({ items }) => items);
}

async function workloadsIn(
  client: Lister,
  namespaces?: readonly string[],
): Promise<KubernetesObject[]> {
  const options = { labelSelector: `${MANAGED_BY}=${MANAGER}`, metadataOnly: true };
  const lists = await Promise.all(
    KINDS.map(async (type) => {
      const items = await listIn(client, type, namespaces, options);
      // The API server returns PartialObjectMetadata, which does not carry the kind of the object.
      return items.map((item) => ({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
    }),
  );
  return lists.flat();
}

/** A host cluster that could not be read. */
export interface UncheckedHost {
  /** Which host cluster, and why. */
  readonly notChecked: string;
}

/**
 * Lists orphaned control planes in the management cluster and in all host clusters with control planes. Reads only.
 * @param client of the management cluster
 * @param connect creates a client for a host cluster
 * @param namespaces watched namespaces; all if undefined
 * @throws ApiError, NetworkError when the operator cannot read the management cluster
 */
export async function listOrphans(
  client: KubernetesClient,
  connect: (access: ExplicitAccess) => KubernetesClient,
  namespaces?: readonly string[],
): Promise<readonly (Orphan | UncheckedHost)[]> {
  const [all, own] = await Promise.all([
    listIn(client, karmadas, namespaces),
    workloadsIn(client, namespaces),
  ]);
  const keys = keysOf(all);
  const references = new Map(
    all.flatMap((karmada) => {
      const reference = hostReference(karmada);
      // A Secret that the operator has not used may belong to another user, and the author of the Karmada chooses the server.
      if (reference === undefined || !isHostInUse(karmada.status ?? {}, reference)) return [];
      return [[hostIdentity(reference), reference] as const];
    }),
  );
  const others = await Promise.all(
    [...references.values()].map(
      async (reference): Promise<readonly (Orphan | UncheckedHost)[]> => {
        const found = await readHostSecret(client, reference);
        if ('problem' in found) return [{ notChecked: `not checked: ${found.problem.message}` }];
        const remote = connect(found.access);
        const { server } = found.access;
        try {
          return orphansIn(await workloadsIn(remote), keys, server);
        } catch (error) {
          return [{ notChecked: `host cluster ${server}: not checked (${errorText(error)})` }];
        } finally {
          await remote.close();
        }
      },
    ),
  );
  return [...orphansIn(own, keys), ...others.flat()];
}

/** Returns one line for each orphan, and for each host cluster that could not be read. */
export const orphanLines = (found: readonly (Orphan | UncheckedHost)[]): readonly string[] =>
  found.map((one) => ('notChecked' in one ? one.notChecked : orphanText(one)));
