/** Creates Pods of backups and restores, which have the ServiceAccount of their store. */
import { FIELD_MANAGER } from '../api/karmada.ts';
import type { Problem } from '../api/problem.ts';
import type { KubernetesClient } from '../kubernetes/client-interface.ts';
import { isWritten } from '../kubernetes/conditional-write.ts';
import { errorText, isStatus } from '../kubernetes/errors.ts';
import type { Pod } from '../kubernetes/pod-kinds.ts';

/**
 * Creates a Pod, unless it exists.
 * @returns why the API server refuses it, such as a ServiceAccount that does not exist, a quota, or a missing permission
 * @throws ApiError, NetworkError for any other failure
 */
export async function createPod(
  pod: Pod,
  client: Pick<KubernetesClient, 'create'>,
): Promise<Problem | undefined> {
  try {
    await isWritten(client.create(pod, { fieldManager: FIELD_MANAGER }));
    return undefined;
  } catch (error) {
    if (![400, 403, 422].some((status) => isStatus(error, status))) throw error;
    return refusal(pod, errorText(error));
  }
}

/** @param text of the API server */
export function refusal(pod: Pod, text: string): Problem {
  const { serviceAccountName } = pod.spec ?? {};
  const isMissing = serviceAccountName !== undefined && /service ?account/i.test(text);
  const remedy = isMissing
    ? `; create the ServiceAccount, or correct spec.s3.podIdentity.serviceAccountName of the KarmadaBackupStore`
    : '';
  const message = `the API server refused Pod ${pod.metadata.name}: ${text}${remedy}`;
  return { reason: 'PodRefused', message };
}
