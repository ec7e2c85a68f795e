import { fieldsOf } from '../objects/records.ts';
import { ADDRESS_NOT_ALLOWED } from '../connection/addresses.ts';
import { parseStatus, type StatusDetails } from './status.ts';

/** Content of an ApiError. */
export interface ApiFailure {
  /** Request that failed, such as `apply Deployment team/demo-etcd`. */
  readonly request: string;
  readonly code: number;
  readonly reason: string;
  /** Message of the server without object content. */
  readonly message: string;
  readonly details?: StatusDetails;
  readonly retryAfterSeconds?: number;
}

/** Error that the API server returned. `message` is short and contains no object content. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails;
  readonly retryAfterSeconds: number | undefined;

  constructor(failure: ApiFailure) {
    super(`${failure.request}: ${failure.code} ${failure.reason}: ${failure.message}`);
    this.name = 'ApiError';
    this.code = failure.code;
    this.reason = failure.reason;
    this.details = failure.details ?? {};
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }

  /** Whether the same request can never succeed, because the object itself must change. */
  get permanent(): boolean {
    return this.code === 400 || this.code === 405 || this.code === 413 || this.code === 422;
  }
}

/** No complete response: connection refused or closed, timeout, DNS error, untrusted certificate. */
export class NetworkError extends Error {
  /** Code of Node.js or undici such as ECONNREFUSED; TIMEOUT for own timeouts, INCOMPLETE for a truncated response. */
  readonly code: string;
  /** False only if the server certainly did not receive the request. */
  readonly maybeSent: boolean;
  /** Whether a retry shortly afterwards may succeed. */
  readonly transient: boolean;

  constructor(request: string, code: string, text: string) {
    super(`${request}: ${text}`);
    this.name = 'NetworkError';
    this.code = code;
    this.maybeSent = !NEVER_SENT.has(code) && !NOT_TRUSTED.has(code);
    this.transient = !NOT_TRUSTED.has(code) && !LASTING.has(code);
  }
}

/** Codes of errors that a retry meets again. */
const LASTING: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'CLOSED',
  'TOO_LARGE',
  ADDRESS_NOT_ALLOWED,
]);

/** Codes of errors that occur before the request is written to a connection. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  ADDRESS_NOT_ALLOWED,
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // The connection was closed after undici selected it, so the request has no stream.
  'ERR_HTTP2_INVALID_SESSION',
]);

/** Codes of serving certificates that fail verification. */
const NOT_TRUSTED: ReadonlySet<string> = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
]);

/** Whether the error is an ApiError with this HTTP status. */
export function isStatus(error: unknown, code: number): error is ApiError {
  return error instanceof ApiError && error.code === code;
}

/** Whether the error is an ApiError with status 404. */
export function isNotFound(error: unknown): error is ApiError {
  return isStatus(error, 404);
}

/** Whether the API server reports an expired resourceVersion (410 Gone or Expired), so that a new list is necessary. */
export function isExpired(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 410 || error.reason === 'Expired');
}

/** Whether the API server rejected an object because its Namespace is terminating. */
export function isNamespaceTerminating(error: unknown): error is ApiError {
  const causes = isStatus(error, 403) ? (error.details.causes ?? []) : [];
  return causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

/** Text of a thrown value for logs and conditions. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the error is a runtime error of JavaScript, such as TypeError, which indicates a bug in the operator. */
export function isInternalError(error: unknown): error is Error {
  return OWN_FAULTS.some((kind) => error instanceof kind);
}

const OWN_FAULTS = [TypeError, ReferenceError, RangeError, SyntaxError] as const;

const MAX_MESSAGE_LENGTH = 400;

/** A timer in Node.js with more than 24 days ends at once. */
const MAX_RETRY_SECONDS = 3_600;

/**
 * Removes quoted values from field errors, except short scalars. The API server quotes the rejected value, which can
 * be a whole Pod template or contain secret data.
 */
function withoutValues(message: string, secret: boolean): string {
  const keep = secret ? 0 : 80;
  return message.replace(
    /((?:Invalid|Unsupported|Duplicate) value: )([\s\S]*?)(: (?=[a-z`"])|$)/g,
    (whole, lead: string, value: string, rest: string) =>
      value.length <= keep && !value.includes('{') ? whole : `${lead}(not shown)${rest}`,
  );
}

/** Messages for an undeclared field. The API server returns it as HTTP 500 without a reason, but it is permanent. */
const UNDECLARED = /field not declared in schema|unknown field|failed to create typed patch object/;

/**
 * Converts an HTTP response to an ApiError.
 * @param request description of the request, for the message
 * @param answer status, Retry-After header (seconds, as text) and body; `secret` if the object has secret data
 */
export function toApiError(
  request: string,
  answer: { code: number; retryAfter?: string; body: string; secret?: boolean },
): ApiError {
  const { message, reason, details } = parseStatus(answer.body);
  const secret = answer.secret === true;
  const undeclared = answer.code === 500 && UNDECLARED.test(message);
  const shown = withoutValues(message, secret).replace(/\s+/g, ' ').slice(0, MAX_MESSAGE_LENGTH);
  const after = Number(answer.retryAfter ?? details.retryAfterSeconds ?? NaN);
  return new ApiError({
    request,
    code: undeclared ? 400 : answer.code,
    reason: undeclared ? 'UndeclaredField' : reason || `HTTP ${answer.code}`,
    message: shown === '' ? 'no reason given in the response' : shown,
    details: withoutValuesIn(details, secret),
    ...(after >= 0 ? { retryAfterSeconds: Math.min(after, MAX_RETRY_SECONDS) } : {}),
  });
}

function withoutValuesIn(details: StatusDetails, secret: boolean): StatusDetails {
  if (details.causes === undefined) return details;
  const causes = details.causes.map((cause) => ({
    ...cause,
    message: withoutValues(cause.message ?? '', secret).slice(0, MAX_MESSAGE_LENGTH),
  }));
  return { ...details, causes };
}

/** Converts an error of a connection to a NetworkError. */
export function toNetworkError(request: string, error: unknown): NetworkError {
  const code = codeOf(error);
  if (code === ADDRESS_NOT_ALLOWED) return new NetworkError(request, code, errorText(error));
  return new NetworkError(
    request,
    code,
    `no response from the API server (${code}): ${errorText(error)}`,
  );
}

/**
 * Parses a JSON response. A proxy may truncate a response without an error, so invalid JSON counts as incomplete. The
 * error does not quote the text, because it may be part of a Secret.
 * @throws NetworkError when the text is not complete JSON
 */
export function parseJson(request: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = `incomplete response from the API server: it ends after ${text.length} characters`;
    throw new NetworkError(request, 'INCOMPLETE', message);
  }
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'UNKNOWN';
  const { code, cause } = fieldsOf(error);
  if (typeof code === 'string' && code !== '') return code;
  return cause === undefined ? 'UNKNOWN' : codeOf(cause);
}
