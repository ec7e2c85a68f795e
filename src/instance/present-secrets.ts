/** Finds out with one request which Secrets exist, for an installation, which would otherwise read each absent one. */
import { instanceName, SECRET_SUFFIX, secretNamesOf } from '../api/naming.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { isStatus } from '../kubernetes/client/errors.ts';
import { isTooLarge } from '../kubernetes/client/limits.ts';
import type { KubernetesObject, ObjectMeta } from '../kubernetes/objects/object.ts';
import { resources } from '../kubernetes/objects/resources.ts';

/** Length of the list up to which it is read, about a thousand Secrets. In a namespace with more, single reads are cheaper. */
const MAX_BYTES = 1_024 * 1_024;

/**
 * Returns the names of Secrets that may exist. All others do not exist: the list is live and has no selector.
 * @param names in the namespace
 * @returns all names if the user may not list Secrets, or if the namespace has too many
 * @throws ApiError, NetworkError
 */
export async function presentSecrets(
  client: Pick<KubernetesClient, 'list'>,
  namespace: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(names);
  const reduce = (secret: KubernetesObject): KubernetesObject | undefined =>
    wanted.has(secret.metadata.name) ? secret : undefined;
  try {
    const { items } = await client.list<KubernetesObject>(resources.Secret, {
      namespace,
      metadataOnly: true,
      maxBytes: MAX_BYTES,
      transform: () => ({ reduce }),
    });
    return new Set(items.map(({ metadata }) => metadata.name));
  } catch (error) {
    if (isStatus(error, 403) || isTooLarge(error)) return wanted;
    throw error;
  }
}

/** Returns the names of Secrets of a control plane that may exist, see `presentSecrets`. */
export type PresentSecrets = () => Promise<ReadonlySet<string>>;

/** Reads the Secrets of a control plane when the first caller asks, and not again: create one for the checks of one reconcile. */
export function presentSecretsOf(
  client: Pick<KubernetesClient, 'list'>,
  { name, namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>,
): PresentSecrets {
  const names = [instanceName(name, SECRET_SUFFIX.caBackup), ...secretNamesOf(name)];
  let read: Promise<ReadonlySet<string>> | undefined;
  return () => (read ??= presentSecrets(client, namespace, names));
}
