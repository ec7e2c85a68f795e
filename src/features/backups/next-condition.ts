/** Conditions of the kinds of backups: pure. */
import type { KubernetesObject, ObjectCondition } from '../../kubernetes/objects/object.ts';

const MAX_MESSAGE_LENGTH = 1_000;

interface Conditioned extends Pick<KubernetesObject, 'metadata'> {
  readonly status?: { readonly conditions?: readonly ObjectCondition[] };
}

/**
 * Returns the next condition of an object. The transition time changes only with the status, as the API conventions demand.
 * @param now RFC 3339
 */
export function nextCondition(
  { metadata: { generation }, status: before }: Conditioned,
  { message = '', ...given }: Pick<ObjectCondition, 'type' | 'status' | 'reason' | 'message'>,
  now: string,
): ObjectCondition {
  const former = before?.conditions?.find(({ type }) => type === given.type);
  const since = former?.status === given.status ? former.lastTransitionTime : undefined;
  return {
    ...given,
    message: message.slice(0, MAX_MESSAGE_LENGTH),
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: since ?? now,
  };
}
