/** Serves stub APIs over HTTPS (HTTP/2 and HTTP/1.1). */
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { UpstreamResponse } from '../../harness/fault-proxy/proxy.ts';
import { stubNow } from '../clock.ts';
import { StatusError } from './errors.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import { StubApi, type WatchLine } from './stub-api.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const BOOKMARK_MS = 55_000;

/** API that answers a request, the answer of one Pod, or the error of a server that cannot. */
export type Answering = StubApi | ApiResponse | StatusError;
type Target = (request: Http2ServerRequest) => Answering;

/** Answers the requests of a server. */
export type Serving = (server: Http2SecureServer, target: Target) => void;

export const servePlainly: Serving = (server, target) => {
  server.on('request', (request, response) => void serve(target(request), request, response));
};

/** Answers each request after its turn. @param turn `gone` is aborted when the client gives up */
export const servingAfter =
  (turn: (request: Http2ServerRequest, gone: AbortSignal) => Promise<void>): Serving =>
  (server, target) => {
    server.on('request', (request, response) => {
      const gone = new AbortController();
      response.on('error', () => undefined).on('close', () => gone.abort());
      void turn(request, gone.signal).then(() => {
        if (!gone.signal.aborted) void serve(target(request), request, response);
      });
    });
  };

/** A response of which the body is a stream. */
export function respond(
  target: Answering,
  request: ApiRequest,
  gone: AbortSignal,
): UpstreamResponse {
  if (target instanceof StubApi && StubApi.isWatch(request)) {
    const stream = new PassThrough();
    const opened = openWatch(target, request, stream);
    if (opened instanceof StatusError) return responseOf(opened);
    gone.addEventListener('abort', () => stream.destroy(), { once: true });
    stream.on('close', opened);
    return Object.assign(stream, { statusCode: 200, headers: JSON_TYPE });
  }
  if (target instanceof StatusError) return responseOf(target);
  const { status, body } = target instanceof StubApi ? handled(target, request) : target;
  return Object.assign(Readable.from([Buffer.from(contentOf(body))]), {
    statusCode: status,
    headers: headersOf(body),
  });
}

const responseOf = ({ code, body }: StatusError): UpstreamResponse =>
  Object.assign(Readable.from([Buffer.from(JSON.stringify(body))]), {
    statusCode: code,
    headers: JSON_TYPE,
  });

const requestOf = ({ method, url, headers }: Http2ServerRequest, body: string): ApiRequest => ({
  method,
  url,
  headers,
  body,
});

/** Answers one request. Never rejects. */
async function serve(
  target: Answering,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  response.setHeader('date', new Date(stubNow()).toUTCString());
  const body = await text(request).catch(() => '');
  if (target instanceof StatusError)
    return send(response, { status: target.code, body: target.body });
  if (!(target instanceof StubApi)) return send(response, target);
  if (!StubApi.isWatch(request)) return send(response, handled(target, requestOf(request, body)));
  response.writeHead(200, JSON_TYPE);
  const end = openWatch(target, requestOf(request, ''), response);
  if (end instanceof StatusError) {
    response.write(`${JSON.stringify({ type: 'ERROR', object: end.body })}\n`);
    response.end();
    return;
  }
  // Sends the headers before the first event.
  (response as { flushHeaders?: () => void }).flushHeaders?.();
  response.on('close', end);
}

/** An error of the stub itself is a response with status 500. */
function handled(api: StubApi, request: ApiRequest): ApiResponse {
  try {
    return api.handle(request);
  } catch (error) {
    const message = error instanceof Error ? String(error.stack) : String(error);
    return { status: 500, body: new StatusError(500, 'InternalError', message).body };
  }
}

const contentOf = (body: unknown): string =>
  typeof body === 'string' ? body : JSON.stringify(body);

const headersOf = (body: unknown): { 'content-type': string } =>
  typeof body === 'string' ? { 'content-type': 'text/plain' } : JSON_TYPE;

function send(response: Http2ServerResponse, { status, body }: ApiResponse): void {
  response.writeHead(status, headersOf(body));
  response.end(contentOf(body));
}

/**
 * Writes the events of a watch to a stream, until its time is over.
 * @returns function that ends it, or the error of the request
 */
function openWatch(
  api: StubApi,
  request: ApiRequest,
  stream: { write(text: string): unknown; end(): unknown },
): (() => void) | StatusError {
  const line = (event: WatchLine): void => void stream.write(`${JSON.stringify(event)}\n`);
  const { pathname, searchParams: query } = new URL(request.url, 'https://stub');
  const timeOver = (): void => {
    line(bookmark(api));
    stream.end();
  };
  try {
    const end = api.watch(request, line);
    const open = { pathname, end: timeOver };
    api.watches.add(open);
    const bookmarks = setInterval(() => line(bookmark(api)), BOOKMARK_MS);
    const seconds = Number(query.get('timeoutSeconds') ?? 300);
    const timeout = setTimeout(timeOver, seconds * 1_000);
    return () => {
      api.watches.delete(open);
      end();
      clearInterval(bookmarks);
      clearTimeout(timeout);
    };
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

const bookmark = (api: StubApi): WatchLine => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: String(api.store.version) } },
});
