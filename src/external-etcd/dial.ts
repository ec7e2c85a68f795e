/** How a member of an etcd is dialled, and what comes of it when nothing does: shared by both ways to ask. */
import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { ConnectionOptions, PeerCertificate } from 'node:tls';
import type { Credentials } from './credentials.ts';
import type { Endpoint } from './endpoint.ts';

/** How far a request came before it failed. */
export type Stage = 'resolve' | 'connect' | 'tls' | 'answer';

export interface Reply {
  readonly status: number;
  /** The first kilobytes. */
  readonly body: string;
}

export interface Failure {
  readonly stage: Stage;
  /** Node's or OpenSSL's code; `TIMEOUT` when no answer came in time. */
  readonly code: string;
  /** For a certificate of another name: the names it is for. */
  readonly names?: string;
}

/** One member, with what a client shows it. */
export interface Question {
  readonly endpoint: Endpoint;
  readonly credentials: Credentials;
  /** Ends the question, when it takes too long or nobody wants to know any more. */
  readonly signal: AbortSignal;
}

/** What was said about both: how it is, and which version. */
export interface Answers {
  readonly health: Reply | Failure;
  readonly version: Reply | Failure;
}

/** More of what a server says is not read, in bytes. */
export const LONGEST_BODY = 8_192;

/** How a client of this etcd opens TLS. */
export function tlsOptions({ host }: Endpoint, credentials: Credentials): ConnectionOptions {
  return {
    servername: isIP(host) === 0 ? host : '',
    ca: credentials['ca.crt'],
    cert: credentials['tls.crt'],
    key: credentials['tls.key'],
    rejectUnauthorized: true,
    // As Go does it: whatever is in ca.crt is trusted, be it an intermediate CA.
    allowPartialTrustChain: true,
    checkServerIdentity: (_, certificate) => checkName(host, certificate),
  };
}

/** The names of one member one after the other; the first that is found counts. */
export function lookupOf(names: readonly string[]): LookupFunction {
  return (_, options, callback) => {
    const attempt = ([name = '', ...others]: readonly string[]): void =>
      lookup(name, { ...options, all: true }, (error, addresses) => {
        if (error !== null && others.length > 0) return attempt(others);
        const [first] = addresses ?? [];
        if (options.all === true || error !== null) return callback(error, addresses);
        callback(error, first?.address ?? '', first?.family);
      });
    attempt(names);
  };
}

/** As Go does it: alternative names count, the common name does not. */
function checkName(host: string, { raw, subjectaltname }: PeerCertificate): Error | undefined {
  const certificate = new X509Certificate(raw);
  const matches =
    isIP(host) === 0
      ? certificate.checkHost(host, { subject: 'never' })
      : certificate.checkIP(host);
  return matches === undefined
    ? Object.assign(new Error('another name'), { code: WRONG_NAME, names: subjectaltname ?? '' })
    : undefined;
}

export const WRONG_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';

interface Thrown {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly names?: unknown;
}

/** What was thrown, in the place of an answer. */
export function failureOf(stage: Stage, error: unknown): Failure {
  const { name, code, message, names } = error as Thrown;
  if (name === 'AbortError' || name === 'TimeoutError') return { stage, code: 'TIMEOUT' };
  if (typeof code !== 'string') return { stage, code: 'UNKNOWN' };
  if (code === 'EPROTO') return { stage, code: openSslCode(String(message)) ?? code };
  return { stage, code, ...(typeof names === 'string' && { names }) };
}

/** The code that the same fault has when it shows while reading; while writing it is only in the words. */
function openSslCode(message: string): string | undefined {
  const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1];
  return reason && `ERR_SSL_${reason.trim().toUpperCase().replaceAll(' ', '_')}`;
}
