import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';

/** Listen address. An empty host means all addresses. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** PEM certificate chain and private key. */
export interface ServingPair {
  readonly cert: string;
  readonly key: string;
}

/** Response of one path. Status 200 means healthy. */
export interface Answer {
  readonly status: number;
  /** Text, or its parts in UTF-8. A large text in one piece would cost a copy of it for each request. */
  readonly body: string | readonly Uint8Array[];
  readonly type?: string;
}

/** A request for one path. */
interface RouteRequest {
  /** Header `Authorization`. */
  readonly authorization: string | undefined;
  /** Remote address of the connection; empty if it is closed. */
  readonly address: string;
  /** Aborted when the client has closed its connection. */
  readonly gone: AbortSignal;
}

/** Answers requests. */
export type Route = (request: RouteRequest) => Answer | Promise<Answer>;

/** Routes by path. */
export type Routes = Readonly<Record<string, Route>>;

/** An HTTP or HTTPS server for probes or metrics. */
export interface EndpointServer {
  /** Port that the server listens on. The operating system chooses it if the requested port is 0. */
  readonly port: number;
  /** Replaces the certificate for new connections. No effect on an HTTP server. */
  readonly renew: (pair: ServingPair) => void;
  readonly close: () => Promise<void>;
}

async function answer(
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [named = ''] = (request.url ?? '').split('?', 1);
  const path = named.replace(/\/$/, '');
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const known =
    route === undefined
      ? { status: 404, body: 'not found\n' }
      : await route({
          authorization: request.headers.authorization,
          address: request.socket.remoteAddress ?? '',
          gone: gone.signal,
        });
  const { status, body, type = 'text/plain; charset=utf-8' }: Answer = known;
  const parts = typeof body === 'string' ? [Buffer.from(body)] : body;
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  response.writeHead(status, { 'content-type': type, 'content-length': length });
  for (const part of parts) response.write(part);
  response.end();
}

/**
 * Starts an HTTP server for the routes. Unknown paths return 404, a route that fails returns 500 without details.
 * @param pair serves HTTPS with this certificate
 * @throws Error that names the address when the server cannot listen on it
 */
export async function serve(
  { host, port }: BindAddress,
  routes: Routes,
  pair?: ServingPair,
): Promise<EndpointServer> {
  const listener: RequestListener = (request, response) => {
    answer(routes, request, response).catch(() => response.writeHead(500).end('internal error\n'));
  };
  const secure =
    pair === undefined ? undefined : createTlsServer({ ...pair, minVersion: 'TLSv1.2' }, listener);
  const server = secure ?? createServer(listener);
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(new Error(`cannot listen on ${host}:${String(port)}: ${error.message}`));
    server.once('error', fail);
    server.listen(port, host === '' ? undefined : host, () => resolve());
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    renew: (next) => secure?.setSecureContext({ ...next, minVersion: 'TLSv1.2' }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
