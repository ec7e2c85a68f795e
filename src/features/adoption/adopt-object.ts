import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { FIELD_MANAGER } from '../../api/karmada.ts';
import { keyOf } from '../../kubernetes/objects/resources.ts';
import type { AdoptObject } from '../../actions/karmada-action.ts';
import type { Done } from '../../actions/execution-result.ts';

export interface AdoptTools {
  readonly host: { readonly client: Pick<KubernetesClient, 'typeOf' | 'patch'> };
  /** Management cluster. */
  readonly local: AdoptTools['host'];
}

/**
 * Adds the labels of the Karmada to an object of the Go operator. UID and resourceVersion guarantee that the API server
 * changes exactly the object whose content was recognized.
 * @throws ApiError 409 if the object changed since; the next reconcile decides again
 */
export async function adoptObject(
  { host, local }: AdoptTools,
  { object, labels, isCopy }: AdoptObject,
): Promise<Done> {
  const { client } = isCopy ? local : host;
  const { uid, resourceVersion } = object.metadata;
  const patch = { metadata: { uid, resourceVersion, labels } };
  await client.patch(client.typeOf(object), keyOf(object), patch, { fieldManager: FIELD_MANAGER });
  return { writes: 1 };
}
