import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { RecordEtcd } from '../../actions/action.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Done } from '../../actions/execution-result.ts';
import { recordMemo } from './record-cache.ts';
import { NOTES_FIELD_MANAGER, RECORD_ANNOTATION } from '../../etcd-cluster/identity/record.ts';

/**
 * Writes the record of an etcd cluster to the Secret version that the decision is based on.
 * @returns one write; none if the Secret has changed since, which triggers the next reconcile
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function recordEtcd(
  client: Pick<KubernetesClient, 'patch'>,
  instance: Pick<InstanceCache, 'etcdRecord'>,
  { backup, record }: RecordEtcd,
): Promise<Done> {
  const memo = recordMemo(backup, record);
  const { name, namespace = '', uid, resourceVersion } = backup.metadata;
  const metadata = { uid, resourceVersion, annotations: { [RECORD_ANNOTATION]: memo.value } };
  const options = { fieldManager: NOTES_FIELD_MANAGER };
  try {
    await client.patch(resources.Secret, { namespace, name }, { metadata }, options);
  } catch (error) {
    if (isStatus(error, 409) || isStatus(error, 404)) return {};
    throw error;
  }
  instance.etcdRecord = memo;
  return { writes: 1 };
}
