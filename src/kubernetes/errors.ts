import { ADDRESS_NOT_ALLOWED } from './addresses.ts';

/** One entry of `details.causes` of a meta/v1 Status. */
interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The parts of `details` of a meta/v1 Status that the runtime uses. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** What an ApiError is made of. */
export interface ApiFailure {
  /** What was tried, such as `apply Deployment team/demo-etcd`. */
  readonly request: string;
  readonly code: number;
  readonly reason: string;
  /** The server's sentence, already freed of object content. */
  readonly message: string;
  readonly details?: StatusDetails;
  readonly retryAfterSeconds?: number;
}

/** The API server answered, and refused. `message` is short and holds no object content. */
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

  /** True when the same request can never succeed: the object itself has to change. */
  get permanent(): boolean {
    return this.code === 400 || this.code === 405 || this.code === 413 || this.code === 422;
  }
}

/** No answer came: refused, cut, timed out, a name that does not resolve, a certificate not trusted. */
export class NetworkError extends Error {
  /** Node's or undici's error code, such as ECONNREFUSED; TIMEOUT for our own deadlines, INCOMPLETE for half an answer. */
  readonly code: string;
  /** False only when it is certain that the server never saw the request. */
  readonly maybeSent: boolean;
  /** True when the same connection may well work a moment later. */
  readonly transient: boolean;

  constructor(request: string, code: string, text: string) {
    super(`${request}: ${text}`);
    this.name = 'NetworkError';
    this.code = code;
    this.maybeSent = !NEVER_SENT.has(code) && !NOT_TRUSTED.has(code);
    this.transient = !NOT_TRUSTED.has(code) && !LASTING.has(code);
  }
}

/** Codes of faults that the same request meets again. */
const LASTING: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'CLOSED',
  'TOO_LARGE',
  ADDRESS_NOT_ALLOWED,
]);

/** Codes of faults that happen before a request can be written to the connection. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  ADDRESS_NOT_ALLOWED,
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of a serving certificate that does not verify. */
const NOT_TRUSTED: ReadonlySet<string> = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
]);

/** True for an ApiError with that HTTP code. */
export function isStatus(error: unknown, code: number): error is ApiError {
  return error instanceof ApiError && error.code === code;
}

/** True for an ApiError 404. */
export function isNotFound(error: unknown): error is ApiError {
  return isStatus(error, 404);
}

/** True for the answers that say "this resource version is too old, list again" (410 Gone or Expired). */
export function isExpired(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 410 || error.reason === 'Expired');
}

/** True when an object was refused because its namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): error is ApiError {
  const causes = isStatus(error, 403) ? (error.details.causes ?? []) : [];
  return causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

/** What was thrown, as an Error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** A text for logs and conditions from anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** True for the errors of JavaScript itself, which nobody throws on purpose: the code that ran is wrong. */
export function isOwnFault(error: unknown): error is Error {
  return OWN_FAULTS.some((kind) => error instanceof kind);
}

const OWN_FAULTS = [TypeError, ReferenceError, RangeError, SyntaxError] as const;

const LONGEST_MESSAGE = 400;

/**
 * Field errors of the API server quote the refused value, up to a whole pod template. Everything
 * between the kind of the error and its last clause goes, except short scalars.
 */
function withoutValues(message: string, secret: boolean): string {
  const keep = secret ? 0 : 80;
  return message.replace(
    /((?:Invalid|Unsupported|Duplicate) value: )([\s\S]*?)(: (?=[a-z`"])|$)/g,
    (whole, lead: string, value: string, rest: string) =>
      value.length <= keep && !value.includes('{') ? whole : `${lead}(not shown)${rest}`,
  );
}

interface StatusBody {
  readonly reason: string;
  readonly message: string;
  readonly details: StatusDetails;
}

const NO_STATUS: StatusBody = { reason: '', message: '', details: {} };

const REASON = /^[A-Za-z]{1,64}$/;

/** Only a Status of Kubernetes is repeated: the answer of any other server may be anything, a secret of it among it. */
function statusOf(parsed: unknown): StatusBody {
  const { kind, reason, message, details } = (parsed ?? {}) as Readonly<Record<string, unknown>>;
  if (kind !== 'Status') return NO_STATUS;
  return {
    reason: typeof reason === 'string' && REASON.test(reason) ? reason : '',
    message: typeof message === 'string' ? message : '',
    details: typeof details === 'object' && details !== null ? details : {},
  };
}

function parseStatus(body: string): StatusBody {
  try {
    const parsed: unknown = JSON.parse(body);
    return statusOf(parsed);
  } catch {
    return NO_STATUS;
  }
}

/** How an undeclared field comes back: HTTP 500, with no reason; it never gets better by itself. */
const UNDECLARED = /field not declared in schema|unknown field|failed to create typed patch object/;

/**
 * Turns an HTTP answer into an ApiError.
 * @param request what was tried, for the message
 * @param answer status, Retry-After header (seconds, as text) and body; `secret` when the object holds secret data
 */
export function toApiError(
  request: string,
  answer: { code: number; retryAfter?: string; body: string; secret?: boolean },
): ApiError {
  const { message, reason, details } = parseStatus(answer.body);
  const secret = answer.secret === true;
  const undeclared = answer.code === 500 && UNDECLARED.test(message);
  const shown = withoutValues(message, secret).replace(/\s+/g, ' ').slice(0, LONGEST_MESSAGE);
  const after = Number(answer.retryAfter ?? details.retryAfterSeconds ?? NaN);
  return new ApiError({
    request,
    code: undeclared ? 400 : answer.code,
    reason: undeclared ? 'UndeclaredField' : reason || `HTTP ${answer.code}`,
    message: shown === '' ? 'the answer names no reason' : shown,
    details: withoutValuesIn(details, secret),
    ...(Number.isFinite(after) ? { retryAfterSeconds: after } : {}),
  });
}

function withoutValuesIn(details: StatusDetails, secret: boolean): StatusDetails {
  if (details.causes === undefined) return details;
  const causes = details.causes.map((cause) => ({
    ...cause,
    message: withoutValues(cause.message ?? '', secret).slice(0, LONGEST_MESSAGE),
  }));
  return { ...details, causes };
}

/** Turns what a connection threw into a NetworkError. */
export function toNetworkError(request: string, error: unknown): NetworkError {
  const code = codeOf(error);
  if (code === ADDRESS_NOT_ALLOWED) return new NetworkError(request, code, errorText(error));
  return new NetworkError(
    request,
    code,
    `no answer from the API server (${code}): ${errorText(error)}`,
  );
}

/**
 * What an answer says that is JSON from beginning to end. A proxy that gives up in the middle may end an answer as if
 * that were all; it is no answer then, and what came of it is not shown, since it may be a part of a Secret.
 * @throws NetworkError when the text is not all of it
 */
export function parseJson(request: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = `the answer of the API server is not whole: it ends after ${text.length} characters`;
    throw new NetworkError(request, 'INCOMPLETE', message);
  }
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'UNKNOWN';
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && code !== '') return code;
  return cause === undefined ? 'UNKNOWN' : codeOf(cause);
}
