/** Serves in-memory host clusters, one port per cluster, in a separate process started by `fleet.ts`. */
import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { StubApi } from './stub-api.ts';

interface Given {
  readonly count: number;
  readonly cert: string;
  readonly key: string;
}

function serve(api: StubApi, request: Http2ServerRequest, response: Http2ServerResponse): void {
  const { method, url } = request;
  if (/[?&]watch=true/.test(url)) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const end = api.watch(url, (event) => response.write(`${JSON.stringify(event)}\n`));
    response.on('close', end);
    return;
  }
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    const answer = api.answer({ method, url, body });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  });
}

async function start({ cert, key }: Given): Promise<number> {
  const api = new StubApi();
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) =>
    serve(api, request, response),
  );
  server.on('session', (session) => session.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

process.once('message', (message) => {
  const given = message as Given;
  void Promise.all(Array.from({ length: given.count }, () => start(given))).then((ports) =>
    process.send?.(ports),
  );
});
