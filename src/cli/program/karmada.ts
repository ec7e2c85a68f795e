/** Reads Karmada objects for commands. */
import type { Karmada } from '../../api/karmada.ts';
import { karmadas } from '../../host-clusters/host.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import type { Connection } from './connect.ts';

/** Reads one Karmada in the namespace of the connection. @throws ApiError with code 404 if it does not exist */
export async function readKarmada(
  {
    client,
    namespace,
  }: Pick<Connection, 'namespace'> & { readonly client: Pick<KubernetesClient, 'get'> },
  name: string,
): Promise<Karmada> {
  return client.get(karmadas, { namespace, name });
}

/** Lists Karmadas in the namespace of the connection, or in all namespaces, sorted by namespace and name. */
export async function listKarmadas(
  { client, namespace }: Connection,
  allNamespaces: boolean,
): Promise<readonly Karmada[]> {
  const { items } = await client.list(karmadas, allNamespaces ? {} : { namespace });
  const key = ({ metadata }: { metadata: Karmada['metadata'] }): string =>
    `${metadata.namespace ?? ''}/${metadata.name}`;
  return [...items].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Result of a read that a command can do without. */
export type Attempt<T> = { readonly value: T } | { readonly note: string };

/** Runs a read. A failure becomes a note for the user. @param what such as `certificates` */
export async function attempt<T>(what: string, read: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    return { note: `${what}: not read (${errorText(error)})` };
  }
}
