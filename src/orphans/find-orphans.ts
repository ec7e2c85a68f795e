/** Looks for control planes without a Karmada: in caches while the operator runs, and live for the command line. */
import type { ExplicitAccess } from '../kubernetes/connection.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { errorText } from '../kubernetes/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { apiVersionOf, keyOf, keyText, resources } from '../kubernetes/resources.ts';
import type { Karmada } from '../api/karmada.ts';
import { hostIdentity, hostReference } from '../hosts/host-reference.ts';
import { readAccess } from '../hosts/read-access.ts';
import { karmadas, type Host, type Local } from '../hosts/host.ts';
import { MANAGED_BY, MANAGER } from '../api/labels.ts';
import { orphansIn, orphanText, type Orphan } from './orphans.ts';

const KINDS = [resources.Deployment, resources.StatefulSet] as const;

const keysOf = (all: readonly KubernetesObject[]): ReadonlySet<string> =>
  new Set(all.map((karmada) => keyText(keyOf(karmada))));

/**
 * Orphans among what the caches have; that a Karmada is not there is asked of the API server.
 * @throws ApiError, NetworkError when it cannot be asked
 */
export async function cachedOrphans(
  local: Pick<Local, 'client' | 'karmadas' | 'owned'>,
  others: readonly Host[],
): Promise<readonly Orphan[]> {
  const keys = keysOf(local.karmadas.cache.list());
  const workloads = ({ owned }: Pick<Host, 'owned'>): KubernetesObject[] =>
    owned
      .filter(({ type }) => KINDS.some(({ kind }) => kind === type.kind))
      .flatMap(({ cache }) => cache.list());
  const found = [
    ...orphansIn(workloads(local), keys),
    ...others.flatMap((host) => orphansIn(workloads(host), keys, host.remote?.server)),
  ];
  const live = await Promise.all(
    found.map(({ namespace, name }) => local.client.find(karmadas, { namespace, name })),
  );
  return found.filter((_, index) => live[index] === undefined);
}

async function workloadsIn(client: Pick<KubernetesClient, 'list'>): Promise<KubernetesObject[]> {
  const labelSelector = `${MANAGED_BY}=${MANAGER}`;
  const lists = await Promise.all(
    KINDS.map(async (type) => {
      const { items } = await client.list(type, { labelSelector, metadataOnly: true });
      // Metadata comes as an object of its own kind.
      return items.map((item) => ({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
    }),
  );
  return lists.flat();
}

/**
 * One line for each orphan in the operator's cluster and in all hosts with control planes, and for each host that could not be
 * read. Reads only.
 * @param client of the operator's cluster
 * @param connect opens another one
 * @throws ApiError, NetworkError when the operator's cluster cannot be read
 */
export async function orphanLines(
  client: KubernetesClient,
  connect: (access: ExplicitAccess) => KubernetesClient,
): Promise<readonly string[]> {
  const [all, own] = await Promise.all([client.list(karmadas), workloadsIn(client)]);
  const keys = keysOf(all.items);
  const references = new Map(
    (all.items as unknown as Karmada[]).flatMap((karmada) => {
      // A Secret that a Karmada merely names may be somebody else's.
      const reference = karmada.status?.hostUID ? hostReference(karmada) : undefined;
      return reference === undefined ? [] : [[hostIdentity(reference), reference] as const];
    }),
  );
  const others = await Promise.all(
    [...references.values()].map(async (reference): Promise<readonly string[]> => {
      const found = await readAccess(client, reference);
      if ('problem' in found) return [`not read: ${found.problem.message}`];
      const remote = connect(found.access);
      const { server } = found.access;
      try {
        return orphansIn(await workloadsIn(remote), keys, server).map(orphanText);
      } catch (error) {
        return [`not read: the host cluster at ${server}: ${errorText(error)}`];
      } finally {
        await remote.close();
      }
    }),
  );
  return [...orphansIn(own, keys).map(orphanText), ...others.flat()];
}
