/** Converts errors of a member cluster to condition reasons and messages. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { Problem } from '../api/reasons/problem.ts';
import { ADDRESS_NOT_ALLOWED } from '../kubernetes/connection/addresses.ts';
import { ApiError, errorText, NetworkError } from '../kubernetes/client/errors.ts';

/** Error with a known reason. */
export class MemberFailure extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Converts an error to a problem. The message contains only the status of a member cluster, never its response. */
export function memberProblem(error: unknown): Problem {
  if (error instanceof MemberFailure) return { reason: error.reason, message: error.message };
  if (error instanceof NetworkError && error.code === ADDRESS_NOT_ALLOWED)
    return { reason: 'MemberAddressNotAllowed', message: error.message };
  if (error instanceof NetworkError)
    return {
      reason: 'MemberUnreachable',
      message: `its API server is unreachable (${error.code}); check apiEndpoint, caBundle and proxyURL of its Cluster, and the network path from the operator`,
    };
  if (error instanceof ApiError && error.code === 401)
    return {
      reason: 'CredentialsRefused',
      message:
        'its API server rejects the token in the Secret of its Cluster; join the member cluster again',
    };
  if (error instanceof ApiError)
    return {
      reason: 'MemberError',
      message: `a request to its API server failed with ${error.code} ${error.reason}`,
    };
  return { reason: 'MemberError', message: errorText(error) };
}
