/** Finds out with one request which Secrets exist, for an installation, which would otherwise read each absent one. */
import { secretNamesOf } from '../api/naming.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { isStatus } from '../kubernetes/client/errors.ts';
import { isTooLarge } from '../kubernetes/client/limits.ts';
import type { Clock } from '../kubernetes/time/clock.ts';
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

/**
 * How long the result of a list is used, in milliseconds. The rate limit may delay the writes between two callers, and a user may
 * restore Secrets meanwhile.
 */
const MAX_AGE_MS = 2_000;

/**
 * Reads the Secrets of a control plane when the first caller asks, and not again for some seconds. Create one for each reconcile,
 * and do not use it after the reconcile has created Secrets.
 */
export function presentSecretsOf(
  { client, clock }: PresentSecretsTools,
  { name, namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>,
): PresentSecrets {
  let read: { readonly names: Promise<ReadonlySet<string>>; readonly at: number } | undefined;
  return () => {
    const now = clock.monotonic();
    if (read === undefined || now - read.at > MAX_AGE_MS)
      read = { names: presentSecrets(client, namespace, secretNamesOf(name)), at: now };
    return read.names;
  };
}

interface PresentSecretsTools {
  readonly client: Pick<KubernetesClient, 'list'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}
