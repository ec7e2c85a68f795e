/** Errors of requests to an etcd member. */
import { fieldsOf } from '../kubernetes/objects/records.ts';

/** Stage in which a request failed. */
export type Stage = 'resolve' | 'connect' | 'tls' | 'answer';

export interface Failure {
  readonly stage: Stage;
  /** Code of Node.js, of OpenSSL, or one of `CODE`. */
  readonly code: string;
  /** SANs of the certificate if they do not contain the expected name. */
  readonly names?: string;
}

/** Error codes of the etcd client, in addition to those of Node.js and OpenSSL. */
export const CODE = {
  /** No response within the timeout. */
  timeout: 'TIMEOUT',
  /** The member closed the connection without an error. */
  closed: 'ECONNRESET',
  /** The server does not support HTTP/2, so it is not etcd. */
  noHttp2: 'NO_HTTP2',
  /** The server responds over HTTP/2 but not with gRPC. */
  noGrpc: 'NO_GRPC',
  /** The response is longer than a response of etcd can be. */
  tooLong: 'TOO_LONG',
  /** The response is not a valid message of the etcd API. */
  malformed: 'MALFORMED',
  /** A snapshot that is cut, or whose checksum is wrong. */
  incomplete: 'INCOMPLETE',
  /** The certificate is valid for other names only. */
  wrongName: 'ERR_TLS_CERT_ALTNAME_INVALID',
} as const;

/** A call that failed without a response of etcd. */
export class EtcdConnectionError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`${failure.stage}: ${failure.code}`);
    this.failure = failure;
  }
}

/** gRPC status codes that the operator uses (https://grpc.io/docs/guides/status-codes/). */
export const GRPC = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/** An error that etcd returned. */
export class EtcdStatusError extends Error {
  /** gRPC status code. */
  readonly status: number;

  /** @param message error text of etcd, such as `etcdserver: no leader`; untrusted, so quote it in messages */
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Status codes of an etcd with RBAC that rejects a call: without permission, or because no user belongs to the certificate. */
const NO_RIGHTS: ReadonlySet<number> = new Set([
  GRPC.invalidArgument,
  GRPC.permissionDenied,
  GRPC.unauthenticated,
]);

/** Whether etcd rejected a call because the client lacks permissions. */
export const isDenied = (error: unknown): boolean =>
  error instanceof EtcdStatusError && NO_RIGHTS.has(error.status);

/** Converts an error to a Failure. An EtcdConnectionError keeps its own stage. */
export function failureOf(stage: Stage, error: unknown): Failure {
  if (error instanceof EtcdConnectionError) return error.failure;
  const { name, code, message, names } = fieldsOf(error);
  if (name === 'AbortError' || name === 'TimeoutError') return { stage, code: CODE.timeout };
  if (typeof code !== 'string') return { stage, code: 'UNKNOWN' };
  if (code === 'EPROTO') return { stage, code: openSslCode(String(message)) ?? code };
  return { stage, code, ...(typeof names === 'string' && { names }) };
}

/** Error code of OpenSSL. A write error has the code only in its message. */
function openSslCode(message: string): string | undefined {
  const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1];
  return reason && `ERR_SSL_${reason.trim().toUpperCase().replaceAll(' ', '_')}`;
}
