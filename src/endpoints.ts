import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { BindAddress } from './options.ts';

/** Response of one path. Status 200 means healthy. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

export type Routes = Readonly<Record<string, () => Answer | Promise<Answer>>>;

/** An HTTP server for probes or metrics, without TLS. */
export interface EndpointServer {
  /** Port that the server listens on. The operating system chooses it if the requested port is 0. */
  readonly port: number;
  close(): Promise<void>;
}

async function answer(
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*$/, '').replace(/\/$/, '');
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  const known = route === undefined ? { status: 404, body: 'not found\n' } : await route();
  const { status, body, type = 'text/plain; charset=utf-8' }: Answer = known;
  response.writeHead(status, { 'content-type': type }).end(body);
}

/**
 * Starts an HTTP server for the routes. Unknown paths return 404, a route that fails returns 500 without details.
 * @throws Error that names the address when the server cannot listen on it
 */
export async function serve({ host, port }: BindAddress, routes: Routes): Promise<EndpointServer> {
  const server: Server = createServer((request, response) => {
    answer(routes, request, response).catch(() => response.writeHead(500).end('internal error\n'));
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(new Error(`cannot listen on ${host}:${String(port)}: ${error.message}`));
    server.once('error', fail);
    server.listen(port, host === '' ? undefined : host, () => resolve());
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
