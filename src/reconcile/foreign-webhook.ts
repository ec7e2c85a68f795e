/** Names the admission webhook of a user that keeps the Karmada API from accepting objects: pure. */
import { ApiError } from '../kubernetes/errors.ts';

/** With which an API server reports a webhook with `failurePolicy: Fail` that it cannot call. */
const FAILED = /failed calling webhook "([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)"/;

/** Webhooks of Karmada, which the operator creates. */
const OF_KARMADA = /\.karmada\.io$/;

/** Why the call failed. Other text may contain the URL of the webhook, with credentials of its owner. */
const WHY: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/service "[^"]{1,63}" not found/, 'its Service does not exist'],
  [/no endpoints available/, 'its Service has no endpoints'],
  [/connection refused/, 'nothing listens on its port'],
  [/deadline exceeded|timeout/i, 'it does not respond in time'],
  [/x509|certificate/, 'its certificate does not fit the caBundle'],
  [/no such host/, 'its name cannot be resolved'],
];

/**
 * Returns the message about a webhook that Karmada does not have and that the API server cannot call.
 * @param error of a request to the Karmada API
 * @returns undefined for any other error
 */
export function foreignWebhookText(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const [, name] = FAILED.exec(error.message) ?? [];
  if (name === undefined || OF_KARMADA.test(name)) return undefined;
  const [, why = 'its call fails'] = WHY.find(([pattern]) => pattern.test(error.message)) ?? [];
  return `the admission webhook ${name} in the control plane, which the operator did not create, rejects all requests: ${why}; start its server, or set failurePolicy: Ignore in its ValidatingWebhookConfiguration or MutatingWebhookConfiguration`;
}
