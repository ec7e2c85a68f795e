/** Signed requests to an S3-compatible server, with retries. */
import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request as send, type Dispatcher } from 'undici';
import { backoffMs, sleep, type Clock, type Random } from '../../kubernetes/clock.ts';
import type { NewObjectSettings } from './new-object-headers.ts';
import { StoreError } from './object-store.ts';
import { errorCodeIn } from './s3-xml.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Settings extends NewObjectSettings {
  /** URL without a path, such as `https://s3.example.com:9000`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** If true, the bucket is in the path, otherwise in the host name. */
  readonly pathStyle: boolean;
  /** PEM certificates to trust instead of the well-known CAs. */
  readonly ca?: string;
  readonly credentials: S3Credentials;
}

export interface S3Tools {
  readonly clock: Clock;
  readonly random: Random;
  /** Time without a response, in milliseconds. */
  readonly timeoutMs?: number;
}

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Absent for the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

type Answer = Dispatcher.ResponseData;

interface S3Answer {
  readonly headers: Answer['headers'];
  readonly text: string;
  /** Number of this attempt, from 1: an earlier one may have had an effect. */
  readonly attempt: number;
}

export interface S3Client {
  /** Sends a request and reads the response. @throws StoreError */
  call(request: S3Request): Promise<S3Answer>;
  /** Sends a request and returns the body as a stream. @throws StoreError */
  open(request: S3Request): Promise<Answer['body']>;
}

const ATTEMPTS = 4;
const PAUSE = { base: 500, max: 10_000 } as const;
const TIMEOUT_MS = 120_000;
/** Codes with which servers ask for a later attempt, in addition to the status codes from 500. */
const LATER = new Set(['SlowDown', 'RequestTimeout', 'TooManyRequests', 'BadDigest']);

/** Creates a client. It never follows redirects, which would send credentials to another server. */
export function createS3Client(settings: S3Settings, tools: S3Tools): S3Client {
  const { timeoutMs = TIMEOUT_MS } = tools;
  const { ca } = settings;
  const dispatcher = new Agent({
    ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
    connect: { timeout: 10_000, ...(ca !== undefined && { ca }) },
  });
  const transport = { settings, dispatcher };
  return {
    call: (request) =>
      retried(request, tools, async (attempt) => {
        const answer = await attempted(request, transport);
        const text = await textOf(request, answer.body);
        // CompleteMultipartUpload may report an error with status 200.
        const code = answer.statusCode < 300 ? errorCodeIn(text, true) : undefined;
        if (code !== undefined) throw failure(request, 500, code);
        return { headers: answer.headers, text, attempt };
      }),
    open: (request) =>
      retried(request, tools, async () => (await attempted(request, transport)).body),
  };
}

interface Transport {
  readonly settings: S3Settings;
  readonly dispatcher: Agent;
}

/** Error with the knowledge whether another attempt may succeed. */
class RetryableError extends StoreError {}

async function retried<T>(
  { signal }: S3Request,
  { clock, random }: S3Tools,
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (!(error instanceof RetryableError) || number === ATTEMPTS || signal.aborted) throw error;
      await sleep(clock, backoffMs(number - 1, PAUSE, random), signal);
    }
  }
}

/** @throws StoreError for a status from 300 */
async function attempted(request: S3Request, transport: Transport): Promise<Answer> {
  const answer = await sent(request, transport);
  if (answer.statusCode < 300) return answer;
  const text = await textOf(request, answer.body);
  throw failure(request, answer.statusCode, errorCodeIn(text, false));
}

async function sent(request: S3Request, { settings, dispatcher }: Transport): Promise<Answer> {
  const { method, body, signal } = request;
  const { url, headers } = await signed(request, settings);
  try {
    return await send(url, { method, headers, body: body ?? null, signal, dispatcher });
  } catch (error) {
    throw connectionFailure(request, error);
  }
}

async function signed(
  { method, key, query = {}, headers = {}, body }: S3Request,
  settings: S3Settings,
): Promise<{ url: string; headers: Record<string, string> }> {
  const url = urlOf(settings, key);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const sha256 = createHash('sha256')
    .update(body ?? '')
    .digest('hex');
  const signer = new AwsV4Signer({
    ...{ method, url: url.href, service: 's3', region: settings.region },
    headers: { ...headers, 'x-amz-content-sha256': sha256 },
    ...settings.credentials,
  });
  const result = await signer.sign();
  return { url: result.url.href, headers: Object.fromEntries(result.headers) };
}

function urlOf({ endpoint, bucket, pathStyle }: S3Settings, key = ''): URL {
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = pathStyle ? `/${bucket}/${key}` : `/${key}`;
  return url;
}

async function textOf(request: S3Request, body: Answer['body']): Promise<string> {
  try {
    return await body.text();
  } catch (error) {
    throw connectionFailure(request, error);
  }
}

const about = ({ method, key }: S3Request): string => `${method} ${key ?? 'bucket'}`;

function failure(request: S3Request, status: number, code: string | undefined): StoreError {
  const known = code ?? (status === 404 ? 'NotFound' : `HTTP${String(status)}`);
  const isLater = status >= 500 ? status !== 501 : status === 429 || LATER.has(known);
  const Kind = isLater ? RetryableError : StoreError;
  return new Kind(`${about(request)}: the store responded ${String(status)} ${known}`, known);
}

function connectionFailure(request: S3Request, error: unknown): StoreError {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  const known = typeof code === 'string' ? code : String(name);
  const Kind = request.signal.aborted ? StoreError : RetryableError;
  return new Kind(`${about(request)}: no response of the store (${known})`, known);
}
