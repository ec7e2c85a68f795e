/** Asks a member of an etcd how it is: two requests over HTTP, with the client's certificate. Nothing is written. */
import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns';
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { PeerCertificate } from 'node:tls';
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

/** What a member said, or why it said nothing. */
export interface Observation {
  readonly endpoint: Endpoint;
  readonly health: Reply | Failure;
  readonly version: Reply | Failure;
}

/** How long a member has for its answer, name and handshake included, in milliseconds. */
export const ANSWER_MS = 4_000;

const LONGEST_BODY = 8_192;

/** Asks one member. Never rejects, but for an aborted signal it ends at once. */
export async function askMember(
  endpoint: Endpoint,
  credentials: Credentials,
  signal: AbortSignal,
  timeoutMs = ANSWER_MS,
): Promise<Observation> {
  const get = (path: string): Promise<Reply | Failure> =>
    ask({ endpoint, credentials, path, signal: timed(signal, timeoutMs) });
  const [health, version] = await Promise.all([get('/health'), get('/version')]);
  return { endpoint, health, version };
}

const timed = (signal: AbortSignal, timeoutMs: number): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);

interface Question {
  readonly endpoint: Endpoint;
  readonly credentials: Credentials;
  readonly path: string;
  readonly signal: AbortSignal;
}

function ask(question: Question): Promise<Reply | Failure> {
  return new Promise((resolve) => {
    let stage: Stage = 'resolve';
    const fail = (error: unknown): void => resolve(failureOf(stage, error));
    try {
      const request = open(question);
      request.once('error', fail);
      request.once('socket', (socket: Socket) => {
        if (isIP(question.endpoint.host) !== 0) stage = 'connect';
        socket.once('lookup', (error: Error | null) => {
          if (error === null) stage = 'connect';
        });
        socket.once('connect', () => (stage = question.endpoint.tls ? 'tls' : 'answer'));
        socket.once('secureConnect', () => (stage = 'answer'));
      });
      request.once('response', (response) => void read(response).then(resolve, fail));
      request.end();
    } catch (error) {
      // Credentials that OpenSSL does not take, before anything is sent.
      stage = 'tls';
      fail(error);
    }
  });
}

function open({ endpoint, credentials, path, signal }: Question): ClientRequest {
  const { host, port, names, tls } = endpoint;
  const common = { host, port, path, signal, agent: false, lookup: lookupOf(names) } as const;
  if (!tls) return requestHttp(common);
  return requestHttps({
    ...common,
    servername: isIP(host) === 0 ? host : '',
    ca: credentials['ca.crt'],
    cert: credentials['tls.crt'],
    key: credentials['tls.key'],
    rejectUnauthorized: true,
    // As Go does it: whatever is in ca.crt is trusted, be it an intermediate CA.
    allowPartialTrustChain: true,
    checkServerIdentity: (_, certificate) => checkName(host, certificate),
  });
}

/** The names of one member one after the other; the first that is found counts. */
function lookupOf(names: readonly string[]): LookupFunction {
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

async function read(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= LONGEST_BODY) break;
  }
  const body = Buffer.concat(chunks).subarray(0, LONGEST_BODY).toString('utf8');
  return { status: response.statusCode ?? 0, body };
}

interface Thrown {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly names?: unknown;
}

function failureOf(stage: Stage, error: unknown): Failure {
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
