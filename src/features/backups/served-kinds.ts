/** Which kinds of backups an API server serves. Reading that needs no permission. */
import { BACKUP_GROUP } from '../../api/backup/kinds.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { ResourceType } from '../../kubernetes/objects/resources.ts';

/** Whether the API server serves a kind, or a subresource of it. */
export type IsServed = (type: ResourceType, subresource?: 'status') => boolean;

/**
 * Asks the API server. An older installation lacks some of the kinds.
 * @throws NetworkError, or Error if the answer says nothing about the kinds
 */
export async function servedKinds(client: Pick<KubernetesClient, 'raw'>): Promise<IsServed> {
  const path = `/apis/${BACKUP_GROUP}/v1alpha1`;
  const { status, body } = await client.raw(path);
  if (status === 404) return () => false;
  if (status !== 200) throw new Error(`GET ${path}: HTTP ${String(status)}`);
  return ({ plural }, subresource) =>
    body.includes(`"${subresource === undefined ? plural : `${plural}/${subresource}`}"`);
}
