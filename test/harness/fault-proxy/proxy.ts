/** Proxy that terminates TLS (HTTP/2 and 1.1), and forwards calls to an API server or injects planned faults. */
import { createSecureServer, constants, type Http2SecureServer } from 'node:http2';
import type { Http2ServerRequest, Http2ServerResponse, SecureServerOptions } from 'node:http2';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { callOf, type Call, type Place } from './calls.ts';
import { isDone, isLate, kindOf, type Decision, type Fault, type Kind } from './faults.ts';
import { refusal } from './refusals.ts';

/** Address and credentials of the API server. */
export type Upstream = Pick<
  RequestOptions,
  'host' | 'port' | 'ca' | 'cert' | 'key' | 'servername' | 'agent'
>;

/** Response of the API server; the stream has its body. */
export type UpstreamResponse = Readable & Pick<IncomingMessage, 'statusCode' | 'headers'>;

/** Sends a call to its API server and resolves when the response headers arrive. @param gone ends the call */
type Forward = (
  request: Http2ServerRequest,
  body: Buffer,
  gone: AbortSignal,
) => Promise<UpstreamResponse>;

/** What happens to the calls of a server. */
export interface FaultOptions {
  readonly place: Place;
  readonly namespace: string;
  /** Target of the calls of a connection. */
  readonly forwardOf: (socket: TLSSocket) => Forward;
  readonly decide: (call: Call) => Decision;
  /** Called for each counted call when the call arrives. */
  readonly report: (decision: Decision) => void;
  /** Duration of a delay in milliseconds. */
  readonly delayMs: number;
}

export interface ProxyOptions extends Omit<FaultOptions, 'forwardOf'> {
  readonly tls: SecureServerOptions;
  /** Target of the calls of a connection. */
  readonly upstreamOf: (socket: TLSSocket) => Upstream;
}

/** One active call. */
interface Exchange {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  readonly body: Buffer;
  readonly forward: Forward;
  /** TCP connection below TLS. */
  readonly connection: Socket | undefined;
  readonly watches: boolean;
  /** Aborted when the client does not wait for the response any more. */
  readonly gone: AbortSignal;
  readonly delayMs: number;
}

/** Creates the proxy; the caller calls `listen`. */
export function createProxy({ tls, upstreamOf, ...options }: ProxyOptions): Http2SecureServer {
  const server = createSecureServer({ ...tls, allowHTTP1: true });
  const forwardOf = (socket: TLSSocket): Forward => {
    const upstream = upstreamOf(socket);
    return (request, body, gone) => sendTo(upstream, { request, body, gone });
  };
  injectFaults(server, { ...options, forwardOf });
  return server;
}

/** Answers the calls of a server, with faults. */
export function injectFaults(server: Http2SecureServer, options: FaultOptions): void {
  const connections = new Map<number | undefined, Socket>();
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
      // An unreachable API server affects all calls on the connection.
      if (!ended.signal.aborted) connection?.resetAndDestroy();
    });
  });
}

async function answer(
  options: FaultOptions,
  incoming: Omit<Exchange, 'body' | 'forward' | 'watches' | 'delayMs'> & {
    readonly socket: TLSSocket;
  },
): Promise<void> {
  const { request, response, socket } = incoming;
  const { place, namespace, forwardOf, decide, report } = options;
  const { method, url } = request;
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  const forward = forwardOf(socket);
  const body = await buffer(request);
  const call = callOf({ place, method, url, body: body.toString('utf8') }, namespace);
  const decision = call && decide(call);
  if (decision) report(decision);
  const watches = call?.sort === 'watch';
  const exchange: Exchange = { ...incoming, body, forward, watches, delayMs: options.delayMs };
  await (decision?.fault === undefined ? passOn(exchange) : spoil(exchange, decision.fault));
}

async function passOn(exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const upstream = await send(exchange);
  writeHead(response, upstream.statusCode ?? 502, headersOf(upstream.headers));
  upstream.on('error', () => breakOff(exchange));
  upstream.pipe(response);
}

const send = ({ forward, request, body, gone }: Exchange): Promise<UpstreamResponse> =>
  forward(request, body, gone);

function sendTo(
  upstream: Upstream,
  { request, body, gone }: Pick<Exchange, 'request' | 'body' | 'gone'>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, url: path } = request;
    // Node.js frames the body of a DELETE request only if its length is set.
    const length = body.length === 0 ? {} : { 'content-length': String(body.length) };
    const headers = { ...headersOf(request.headers, 'host', 'content-length'), ...length };
    const outgoing = httpsRequest({ ...upstream, method, path, headers }, resolve);
    // Not with the option `signal`: it destroys the connection, which another call may use by then.
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

/** Executes the call although the client does not wait for it any more. */
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

/** Sends half of the real response. If the call was not executed, sends half of the request body instead. */
async function halve(exchange: Exchange, fault: Fault): Promise<void> {
  const { response, body } = exchange;
  const upstream = isDone(fault) ? await send(exchange) : undefined;
  const whole = upstream === undefined ? body : await wholeOf(exchange, upstream);
  const given = upstream?.headers ?? { 'content-type': 'application/json' };
  const headers = headersOf(given, 'content-length');
  const broken = kindOf(fault) === 'half';
  // A regular end requires that no content-length reveals the missing half.
  const length = broken && !exchange.watches ? { 'content-length': String(whole.length) } : {};
  writeHead(response, upstream?.statusCode ?? 200, { ...headers, ...length });
  const half = whole.subarray(0, whole.length >> 1);
  if (!broken) return void response.end(half);
  response.write(half, () => breakOff(exchange));
}

/** Complete body, or the first chunk of a watch. */
async function wholeOf({ watches }: Exchange, upstream: UpstreamResponse): Promise<Buffer> {
  if (!watches) return buffer(upstream);
  for await (const chunk of upstream) return chunk as Buffer;
  return Buffer.alloc(0);
}

/** Ends only this response if the protocol supports that (HTTP/2). */
function breakOff({ response, connection }: Exchange): void {
  if (response.stream) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else connection?.resetAndDestroy();
}

/** Sends the headers immediately: the first event of a watch may come much later. */
function writeHead(
  response: Http2ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
): void {
  response.writeHead(status, headers);
  // HTTP/1.1 delays the headers until the first part of the body; the types do not declare this method.
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

/** Agent that keeps connections to one API server open. */
export const keptConnections = (): Agent => new Agent({ keepAlive: true });
