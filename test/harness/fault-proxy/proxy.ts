/** A proxy that ends TLS, HTTP/2 and 1.1, and passes calls on to an API server, or does to them what is planned. */
import { createSecureServer, constants, type Http2SecureServer } from 'node:http2';
import type { Http2ServerRequest, Http2ServerResponse, SecureServerOptions } from 'node:http2';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { callOf, type Call, type Place } from './calls.ts';
import { isDone, isLate, kindOf, type Decision, type Fault, type Kind } from './faults.ts';
import { refusal } from './refusals.ts';

/** Where calls go, and what gets in there. */
export type Upstream = Pick<
  RequestOptions,
  'host' | 'port' | 'ca' | 'cert' | 'key' | 'servername' | 'agent'
>;

export interface ProxyOptions {
  readonly place: Place;
  readonly namespace: string;
  readonly tls: SecureServerOptions;
  /** Where the calls of a connection go. */
  readonly upstreamOf: (socket: TLSSocket) => Upstream;
  readonly decide: (call: Call) => Decision;
  /** Is told of every call that counts, when it comes. */
  readonly report: (decision: Decision) => void;
  /** How long a delay is. */
  readonly delayMs: number;
}

/** One call on its way. */
interface Exchange {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  readonly body: Buffer;
  readonly upstream: Upstream;
  /** The connection below TLS. */
  readonly connection: Socket | undefined;
  readonly watches: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
  readonly delayMs: number;
}

/** Not listening yet. */
export function createProxy(options: ProxyOptions): Http2SecureServer {
  const connections = new Map<number | undefined, Socket>();
  const server = createSecureServer({ ...options.tls, allowHTTP1: true });
  server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    connections.set(remotePort, socket);
    socket.on('error', () => undefined).on('close', () => connections.delete(remotePort));
  });
  server.on('sessionError', () => undefined);
  server.on('request', (request, response) => {
    const socket = request.socket as TLSSocket;
    const connection = connections.get(socket.remotePort);
    const ended = new AbortController();
    response.on('close', () => ended.abort());
    answer(options, { request, response, socket, connection, gone: ended.signal }).catch(() => {
      // An API server that is away is away for all calls on its connection.
      if (!ended.signal.aborted) connection?.resetAndDestroy();
    });
  });
  return server;
}

async function answer(
  options: ProxyOptions,
  incoming: Omit<Exchange, 'body' | 'upstream' | 'watches' | 'delayMs'> & {
    readonly socket: TLSSocket;
  },
): Promise<void> {
  const { request, response, socket } = incoming;
  const { place, namespace, upstreamOf, decide, report } = options;
  const { method, url } = request;
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  const upstream = upstreamOf(socket);
  const body = await buffer(request);
  const call = callOf({ place, method, url, body: body.toString('utf8') }, namespace);
  const decision = call && decide(call);
  if (decision) report(decision);
  const watches = call?.sort === 'watch';
  const exchange: Exchange = { ...incoming, body, upstream, watches, delayMs: options.delayMs };
  await (decision?.fault === undefined ? passOn(exchange) : spoil(exchange, decision.fault));
}

async function passOn(exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const upstream = await send(exchange);
  writeHead(response, upstream.statusCode ?? 502, headersOf(upstream.headers));
  upstream.on('error', () => breakOff(exchange));
  upstream.pipe(response);
}

/** Sends the call to its API server and returns when the headers are there. */
function send({ request, body, upstream, gone }: Exchange): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, url: path } = request;
    // Node frames the body of a DELETE only when it is told its length.
    const length = body.length === 0 ? {} : { 'content-length': String(body.length) };
    const headers = { ...headersOf(request.headers, 'host', 'content-length'), ...length };
    const outgoing = httpsRequest({ ...upstream, method, path, headers }, resolve);
    // Not by the option `signal`: that one destroys a connection which may be another call's by then.
    const leave = (): void => void outgoing.destroy();
    gone.addEventListener('abort', leave, { once: true });
    if (gone.aborted) leave();
    outgoing.on('error', reject).end(body);
  });
}

async function spoil(exchange: Exchange, fault: Fault): Promise<void> {
  const kind = kindOf(fault);
  if (kind === 'half' || kind === 'short') return halve(exchange, fault);
  if (isDone(fault)) await buffer(await send(exchange));
  if (isLate(fault)) sendLater(exchange);
  if (kind === 'delay') {
    await pause(exchange.delayMs, undefined, { signal: exchange.gone });
    return passOn(exchange);
  }
  return instead(exchange, kind);
}

/** Carries the call out although nobody waits for it any more. */
function sendLater(exchange: Exchange): void {
  const gone = new AbortController().signal;
  pause(exchange.delayMs)
    .then(async () => buffer(await send({ ...exchange, gone })))
    .catch(() => undefined);
}

async function instead({ response, connection }: Exchange, kind: Kind): Promise<void> {
  if (kind === 'timeout') return;
  if (kind === 'cut') return void connection?.resetAndDestroy();
  if (kind !== 'conflict' && kind !== 'busy' && kind !== 'error') return;
  const { status, headers, body } = refusal(kind);
  writeHead(response, status, { ...headers, 'content-length': String(body.length) });
  response.end(body);
}

/** Half of the true answer, or, of a call that was not carried out, half of what came with it. */
async function halve(exchange: Exchange, fault: Fault): Promise<void> {
  const { response, body } = exchange;
  const upstream = isDone(fault) ? await send(exchange) : undefined;
  const whole = upstream === undefined ? body : await wholeOf(exchange, upstream);
  const given = upstream?.headers ?? { 'content-type': 'application/json' };
  const headers = headersOf(given, 'content-length');
  const broken = kindOf(fault) === 'half';
  // An answer that claims to be whole names no length that would give it away.
  const length = broken && !exchange.watches ? { 'content-length': String(whole.length) } : {};
  writeHead(response, upstream?.statusCode ?? 200, { ...headers, ...length });
  const half = whole.subarray(0, whole.length >> 1);
  if (!broken) return void response.end(half);
  response.write(half, () => breakOff(exchange));
}

/** Of a watch, what came first. */
async function wholeOf({ watches }: Exchange, upstream: IncomingMessage): Promise<Buffer> {
  if (!watches) return buffer(upstream);
  for await (const chunk of upstream) return chunk as Buffer;
  return Buffer.alloc(0);
}

/** Ends this answer and nothing else, where the protocol can do that. */
function breakOff({ response, connection }: Exchange): void {
  if (response.stream) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else connection?.resetAndDestroy();
}

/** At once: of a watch nothing else may come for a long time. */
function writeHead(
  response: Http2ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
): void {
  response.writeHead(status, headers);
  // HTTP/1.1 would wait for the first part of the body; the types do not know it.
  (response as { flushHeaders?: () => void }).flushHeaders?.();
}

const ofOneConnection: readonly string[] =
  'connection keep-alive transfer-encoding upgrade te'.split(' ');

function headersOf(headers: IncomingHttpHeaders, ...without: string[]): OutgoingHttpHeaders {
  const entries = Object.entries(headers).filter(
    ([name]) => !name.startsWith(':') && ![...ofOneConnection, ...without].includes(name),
  );
  return Object.fromEntries(entries);
}

/** Connections to one API server that are kept. */
export const keptConnections = (): Agent => new Agent({ keepAlive: true });
