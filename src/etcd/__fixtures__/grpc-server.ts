/** Servers on the loopback interface that answer as etcd does, or fail to. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';

/** Starts a server. @returns its port */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Creates an HTTP/2 server without TLS. */
export function http2Server(
  answer: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
): Server {
  const server = createServer();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    answer(stream, headers);
  });
  return server as unknown as Server;
}

/** Sends a gRPC response. */
export function say(
  stream: ServerHttp2Stream,
  body: Buffer,
  trailers: Record<string, string>,
): void {
  stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(body);
}

/** Adds the length prefix of gRPC. */
export const message = (content: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
};
