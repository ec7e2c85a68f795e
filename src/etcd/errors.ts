/** Why a member of an etcd gave no answer. */

/** How far a request came before it failed. */
export type Stage = 'resolve' | 'connect' | 'tls' | 'answer';

export interface Failure {
  readonly stage: Stage;
  /** Code of Node.js, of OpenSSL, or one of `CODE`. */
  readonly code: string;
  /** The names a certificate is for, when it is for other names than the expected one. */
  readonly names?: string;
}

/** Codes that neither Node.js nor OpenSSL has. */
export const CODE = {
  /** No answer came in time. */
  timeout: 'TIMEOUT',
  /** The member closed the connection without a reason. */
  closed: 'ECONNRESET',
  /** The server does not speak HTTP/2, so it is no etcd. */
  noHttp2: 'NO_HTTP2',
  /** The server speaks HTTP/2 and no gRPC. */
  noGrpc: 'NO_GRPC',
  /** The answer is longer than etcd's answers to this question can be. */
  tooLong: 'TOO_LONG',
  /** The answer is not the message that etcd's API has. */
  malformed: 'MALFORMED',
  /** The certificate is for other names. */
  wrongName: 'ERR_TLS_CERT_ALTNAME_INVALID',
} as const;

/** A call that brought no answer of etcd. */
export class EtcdConnectionError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`${failure.stage}: ${failure.code}`);
    this.failure = failure;
  }
}

/** Status codes of gRPC that matter here (https://grpc.io/docs/guides/status-codes/). */
export const GRPC = {
  ok: 0,
  invalidArgument: 3,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

/** etcd answered with an error. */
export class EtcdStatusError extends Error {
  /** Status code of gRPC. */
  readonly status: number;

  /** @param message etcd's own words, such as `etcdserver: no leader`; a stranger's, so quote them */
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Thrown {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly names?: unknown;
}

/** What was thrown, as a failure at that stage unless the error knows its own. */
export function failureOf(stage: Stage, error: unknown): Failure {
  if (error instanceof EtcdConnectionError) return error.failure;
  const { name, code, message, names } = error as Thrown;
  if (name === 'AbortError' || name === 'TimeoutError') return { stage, code: CODE.timeout };
  if (typeof code !== 'string') return { stage, code: 'UNKNOWN' };
  if (code === 'EPROTO') return { stage, code: openSslCode(String(message)) ?? code };
  return { stage, code, ...(typeof names === 'string' && { names }) };
}

/** OpenSSL's code: an error while writing has it in its message only. */
function openSslCode(message: string): string | undefined {
  const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1];
  return reason && `ERR_SSL_${reason.trim().toUpperCase().replaceAll(' ', '_')}`;
}
