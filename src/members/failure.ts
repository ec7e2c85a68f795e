/** What went wrong with a member, in words for a condition. */
import type { Problem } from '../api/problem.ts';
import { ADDRESS_NOT_ALLOWED } from '../kubernetes/addresses.ts';
import { ApiError, errorText, NetworkError } from '../kubernetes/errors.ts';

/** Something that is known to stand in the way. */
export class MemberFailure extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The problem that an error means. What a member answers is not repeated: only its code. */
export function problemOf(error: unknown): Problem {
  if (error instanceof MemberFailure) return { reason: error.reason, message: error.message };
  if (error instanceof NetworkError && error.code === ADDRESS_NOT_ALLOWED)
    return { reason: 'MemberAddressNotAllowed', message: error.message };
  if (error instanceof NetworkError)
    return {
      reason: 'MemberUnreachable',
      message: `its API server does not answer (${error.code}): check apiEndpoint, caBundle and proxyURL of its Cluster, and the way there from the operator`,
    };
  if (error instanceof ApiError && error.code === 401)
    return {
      reason: 'CredentialsRefused',
      message: 'its API server refuses the token in the Secret of its Cluster: join it again',
    };
  if (error instanceof ApiError)
    return {
      reason: 'MemberError',
      message: `a request for it failed with ${error.code} ${error.reason}`,
    };
  return { reason: 'MemberError', message: errorText(error) };
}
