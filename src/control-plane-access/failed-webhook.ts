/** Names the admission webhook that an API server cannot call, and that keeps it from accepting objects: pure. */
import type { Problem } from '../api/reasons/problem.ts';
import { ApiError } from '../kubernetes/client/errors.ts';
import { NAME_IN_TEXT } from '../causes/name-in-text.ts';
import type { TargetCluster } from './target-cluster.ts';

/** With which an API server reports a webhook with `failurePolicy: Fail` that it cannot call. */
const FAILED = new RegExp(`failed calling webhook "(${NAME_IN_TEXT})"`);

/** Webhooks of Karmada, which the operator creates in a control plane. */
const OF_KARMADA = /\.karmada\.io$/;

/** Why the call failed. The rest of the message may contain anything that the server of the webhook responds. */
const WHY: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/service "[^"]{1,63}" not found/, 'its Service does not exist'],
  [/no endpoints available/, 'its Service has no endpoints'],
  [/connection refused/, 'nothing listens on its port'],
  [/deadline exceeded|timeout/i, 'it does not respond in time'],
  [/x509|certificate/, 'its certificate does not fit the caBundle'],
  [/no such host/, 'its name cannot be resolved'],
];

/** A write that an API server rejects, because it cannot call a webhook. A retry may succeed. */
export class FailedWebhookError extends ApiError {
  readonly problem: Problem;

  /** @param error of the API server @param problem what conditions say */
  constructor({ code, reason, details }: ApiError, problem: Problem) {
    super({ request: 'write', code, reason, message: problem.message, details });
    this.name = 'FailedWebhookError';
    this.problem = problem;
  }
}

/**
 * Returns the problem of a webhook that an API server cannot call: one of the host cluster, or one in the control plane that Karmada
 * does not have.
 * @param error of a request
 * @param what is rejected, such as `ConfigMap team/demo`
 * @returns undefined for any other error
 */
export function webhookProblem(
  error: unknown,
  cluster: TargetCluster,
  what: string,
): Problem | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const [, name] = FAILED.exec(error.message) ?? [];
  if (name === undefined) return undefined;
  const [, why = 'its call fails'] = WHY.find(([pattern]) => pattern.test(error.message)) ?? [];
  if (cluster === 'host')
    return {
      reason: 'WebhookRefusesObjects',
      message: `${what}: the admission webhook ${name} of the host cluster rejects it, because ${why}; start its server, or correct its webhook configuration`,
    };
  if (OF_KARMADA.test(name)) return undefined;
  return {
    reason: 'UserWebhookFails',
    message: `the admission webhook ${name} in the control plane, which the operator did not create, rejects ${what}, because ${why}; start its server, or set failurePolicy: Ignore in its ValidatingWebhookConfiguration or MutatingWebhookConfiguration`,
  };
}

/** Returns the error of a write with the problem of the webhook that rejects it, otherwise the error itself. */
export function withWebhookProblem(error: unknown, cluster: TargetCluster, what: string): unknown {
  const problem = webhookProblem(error, cluster, what);
  return problem === undefined || !(error instanceof ApiError)
    ? error
    : new FailedWebhookError(error, problem);
}
