/** What a reconcile reports to metrics, and the pure functions behind it. */
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import { ApiError, NetworkError } from '../kubernetes/client/errors.ts';
import { parseTime } from '../kubernetes/time/time.ts';

/** Receives what happens in reconciles. All texts come from fixed sets. */
export interface ReconcileRecord {
  /** An action failed or was rejected. @param step component, or kind of the action @param error that it threw */
  failed(step: string, reason: string, error?: unknown): void;
  /** A reconcile ended early with this error, which may be that of an action. */
  ended(error: unknown): void;
  /** The operator removed drift or recreated a deleted object. @param kind such as `Deployment` */
  repaired(kind: string): void;
  /** A control plane became ready for the first time. @param seconds since the creation of the Karmada object */
  becameReady(seconds: number): void;
}

/** Reasons of kube-apiserver. A server that is not trusted may send any text, which must not become a label. */
const API_REASONS: ReadonlySet<string> = new Set([
  'AlreadyExists',
  'BadRequest',
  'Conflict',
  'Expired',
  'Forbidden',
  'Gone',
  'InternalError',
  'Invalid',
  'MethodNotAllowed',
  'NotAcceptable',
  'NotFound',
  'RequestEntityTooLarge',
  'ServerTimeout',
  'ServiceUnavailable',
  'Timeout',
  'TooManyRequests',
  'Unauthorized',
  'UnsupportedMediaType',
]);

/** Reason of an error: of the API server, `NetworkError`, or `OperatorFault` for an internal error. */
export function errorReason(error: unknown): string {
  if (error instanceof ApiError)
    return API_REASONS.has(error.reason) ? error.reason : `HTTP${error.code}`;
  return error instanceof NetworkError ? 'NetworkError' : 'OperatorFault';
}

/**
 * Seconds from the creation of a Karmada object until it became ready for the first time; undefined if this change is
 * not the one that made it ready.
 */
export function secondsToReady(
  previous: Karmada | undefined,
  { metadata, status }: Karmada,
): number | undefined {
  const isFirst = previous !== undefined && !wasReady(previous.status) && wasReady(status);
  const { creationTimestamp = '' } = metadata;
  if (!isFirst) return undefined;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const seconds = (parseTime(ready?.lastTransitionTime) - parseTime(creationTimestamp)) / 1000;
  return seconds >= 0 ? seconds : undefined;
}

/** The operator stores this hash when the control plane runs the whole spec. */
const wasReady = (status: KarmadaStatus | undefined): boolean =>
  status?.appliedSpecHash !== undefined;
