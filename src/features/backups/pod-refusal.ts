/** Why the API server refuses Pods of backups and restores, which have the ServiceAccount of their store: pure. */
import type { Problem } from '../../api/reasons/problem.ts';
import { errorText, isStatus } from '../../kubernetes/client/errors.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';

/**
 * Returns why the API server refuses a Pod, such as a ServiceAccount that does not exist, a quota, or a missing permission.
 * @param error of its creation
 * @throws any other error
 */
export function podRefusal(pod: Pod, error: unknown): Problem {
  const text = errorText(error);
  // A priority class that needs a quota is an internal error of the API server.
  const isRefused = [400, 403, 422].some((status) => isStatus(error, status));
  if (!isRefused && !text.includes('insufficient quota to match these scopes')) throw error;
  return refusal(pod, text);
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
