import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { isNotFound } from '../../src/kubernetes/client/errors.ts';
import type { ObjectKey, ResourceType } from '../../src/kubernetes/objects/resources.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';

/**
 * Deletes an object if it exists, and waits until it is gone.
 * @param wait deadline and interval in milliseconds, passed to `poll`
 * @throws Error with the remaining finalizers if the deadline has passed
 */
export async function deleteAndWait(
  client: KubernetesClient,
  type: ResourceType,
  key: ObjectKey,
  wait: { deadlineMs: number; intervalMs?: number },
): Promise<void> {
  await client.delete(type, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  const gone = async (seen: (text: string) => void): Promise<true | undefined> => {
    const left = await client.find(type, key);
    const { finalizers, deletionTimestamp } = left?.metadata ?? {};
    seen(JSON.stringify(finalizers ?? deletionTimestamp ?? 'present'));
    return left === undefined ? true : undefined;
  };
  await poll(`${type.kind} ${key.name} is gone`, gone, wait);
}
