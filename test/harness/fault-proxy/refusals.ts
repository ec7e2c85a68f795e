/** Error responses that the proxy creates itself. */
import type { Kind } from './faults.ts';

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const reasons = {
  conflict: {
    code: 409,
    reason: 'Conflict',
    message: 'Operation cannot be fulfilled: the object has been modified; please apply again',
  },
  busy: {
    code: 429,
    reason: 'TooManyRequests',
    message: 'the server has received too many requests, please try again later',
    details: { retryAfterSeconds: 1 },
  },
  error: { code: 500, reason: 'InternalError', message: 'Internal error occurred: by the test' },
} as const satisfies Partial<Record<Kind, object>>;

/** A meta/v1 Status as kube-apiserver writes it. */
export function refusal(kind: keyof typeof reasons): Refusal {
  const status = reasons[kind];
  return {
    status: status.code,
    headers: {
      'content-type': 'application/json',
      ...('details' in status && { 'retry-after': String(status.details.retryAfterSeconds) }),
    },
    body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', ...status }),
  };
}
