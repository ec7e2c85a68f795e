import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';

/** HTTP server on the loopback interface with a replaceable request listener. */
export interface TestServer {
  /** For example `http://127.0.0.1:4711`. */
  readonly url: string;
  /** Requests so far, oldest first. */
  readonly requests: readonly IncomingMessage[];
  /** Sets the request listener. */
  answer(listener: RequestListener): void;
  stop(): Promise<void>;
}

async function listening(server: Server, scheme: string, sockets: Set<Socket>): Promise<string> {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}

/** @param pair serving certificate of an https server */
export async function startServer(pair?: Pair): Promise<TestServer> {
  let current: RequestListener = (_request, response) => void response.writeHead(404).end();
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    current(request, response);
  };
  const server = pair === undefined ? createServer(listener) : createSecureServer(pair, listener);
  const sockets = new Set<Socket>();
  const url = await listening(server, pair === undefined ? 'http' : 'https', sockets);
  return {
    url,
    requests,
    answer: (next) => void (current = next),
    stop: () => stop(server, sockets),
  };
}

/** Responds to all requests with these bytes. */
export const serve =
  (bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, headers).end(bytes);

export const redirect =
  (location: string, status = 302): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { location }).end('moved');

/** A forward proxy: absolute URLs for http, CONNECT for https. */
export interface TestProxy {
  readonly url: string;
  /** Method, target and proxy credentials of each request. */
  readonly seen: readonly string[];
  /** Responds to all requests with this status of the proxy. */
  refuse(status: number): void;
  stop(): Promise<void>;
}

export async function startProxy(): Promise<TestProxy> {
  const seen: string[] = [];
  let refusal: number | undefined;
  const note = ({ method, url, headers }: IncomingMessage): void => {
    seen.push(`${method} ${url} ${headers['proxy-authorization'] ?? ''}`.trim());
  };
  const server = createServer((request, response) => {
    note(request);
    if (refusal !== undefined) return void response.writeHead(refusal).end();
    void fetch(request.url ?? '').then(
      async (answer) =>
        response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer())),
      () => response.writeHead(502).end(),
    );
  });
  const sockets = new Set<Socket>();
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    note(request);
    if (refusal !== undefined) return void client.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  const url = await listening(server, 'http', sockets);
  return {
    url,
    seen,
    refuse: (status) => void (refusal = status),
    stop: () => stop(server, sockets),
  };
}
