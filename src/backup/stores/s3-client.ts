/** Signed requests to an S3-compatible server, with retries. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request as send, type Dispatcher } from 'undici';
import type { Clock, Random } from '../../kubernetes/time/clock.ts';
import { connectionFailure, responseFailure, retried } from './attempts.ts';
import type { CredentialSource } from './credentials.ts';
import type { NewObjectSettings } from './new-object-headers.ts';
import { sizeText, UNTRUSTED } from '../../untrusted/limits.ts';
import { textWithin } from '../../untrusted/collect-text.ts';
import { STORE_CODE, StoreError } from './object-store.ts';
import { errorCodeIn, regionIn } from './s3-xml.ts';

export interface S3Settings extends NewObjectSettings {
  /** URL without a path, such as `https://s3.example.com:9000`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** If true, the bucket is in the path, otherwise in the host name. */
  readonly pathStyle: boolean;
  /** PEM certificates to trust instead of the well-known CAs. */
  readonly ca?: string;
  readonly credentials: CredentialSource;
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

const TIMEOUT_MS = 120_000;

/** Creates a client. It never follows redirects, which would send credentials to another server. */
export function createS3Client(settings: S3Settings, tools: S3Tools): S3Client {
  const { timeoutMs = TIMEOUT_MS } = tools;
  const { ca } = settings;
  const dispatcher = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: 10_000, ...(ca !== undefined && { ca }) },
  });
  const transport = { settings, dispatcher };
  return {
    call: (request) =>
      retried(request.signal, tools, async (attempt) => {
        const answer = await attempted(request, transport);
        const text = await textOf(request, answer.body);
        // CompleteMultipartUpload may report an error with status 200.
        const code = answer.statusCode < 300 ? errorCodeIn(text, true) : undefined;
        if (code !== undefined) throw responseFailure(about(request), 500, code);
        return { headers: answer.headers, text, attempt };
      }),
    open: (request) =>
      retried(request.signal, tools, async () => (await attempted(request, transport)).body),
  };
}

interface Transport {
  readonly settings: S3Settings;
  readonly dispatcher: Agent;
}

/** @throws StoreError for a status from 300 */
async function attempted(request: S3Request, transport: Transport): Promise<Answer> {
  const answer = await sent(request, transport);
  if (answer.statusCode < 300) return answer;
  const text = await textOf(request, answer.body);
  const region = regionIn(text, answer.headers['x-amz-bucket-region']);
  const isOther = region !== undefined && region !== transport.settings.region;
  const detail = isOther ? `, the region of the bucket is ${region}` : '';
  throw responseFailure(about(request), answer.statusCode, errorCodeIn(text, false), detail);
}

async function sent(request: S3Request, { settings, dispatcher }: Transport): Promise<Answer> {
  const { method, body, signal } = request;
  const { url, headers } = await signed(request, settings);
  try {
    const sending = body === undefined ? null : Readable.from(slicesOf(body));
    return await send(url, { method, headers, body: sending, signal, dispatcher });
  } catch (error) {
    throw connectionFailure(about(request), error, request.signal);
  }
}

/** Bytes that the connection takes at once. */
const SLICE_BYTES = 2 ** 16;

/** Each slice that the server takes starts the timeout again. A body in one piece would have to arrive within it. */
function* slicesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += SLICE_BYTES) yield body.subarray(at, at + SLICE_BYTES);
}

async function signed(
  { method, key, query = {}, headers = {}, body, signal }: S3Request,
  settings: S3Settings,
): Promise<{ url: string; headers: Record<string, string> }> {
  const url = urlOf(settings, key);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const sha256 = createHash('sha256')
    .update(body ?? '')
    .digest('hex');
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    service: 's3',
    region: settings.region,
    headers: { ...headers, 'x-amz-content-sha256': sha256 },
    ...(await settings.credentials(signal)),
  });
  const result = await signer.sign();
  const length = body && { 'content-length': String(body.length) };
  return { url: result.url.href, headers: { ...Object.fromEntries(result.headers), ...length } };
}

function urlOf({ endpoint, bucket, pathStyle }: S3Settings, key = ''): URL {
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = pathStyle ? `/${bucket}/${key}` : `/${key}`;
  return url;
}

async function textOf(request: S3Request, body: Answer['body']): Promise<string> {
  const text = await textWithin(body, UNTRUSTED.xml).catch((error: unknown) => {
    throw connectionFailure(about(request), error, request.signal);
  });
  if (text !== undefined) return text;
  throw new StoreError(
    `${about(request)}: the response of the store has more than ${sizeText(UNTRUSTED.xml)}`,
    STORE_CODE.incomplete,
  );
}

const about = ({ method, key }: S3Request): string => `${method} ${key ?? 'bucket'}`;
