/** TLS servers of stubs, which use the certificates that the operator issued. */
import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer, type SecureServerOptions } from 'node:http2';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';

/** Serving pair and the CA of clients, PEM. */
export interface ServerPair {
  readonly cert: string;
  readonly key: string;
  /** CA of client certificates; absent if clients need none. */
  readonly ca?: string;
}

export interface Listener {
  /** Ends the server and all its connections. */
  close(): void;
}

/**
 * Starts a server.
 * @param pairOf reads the certificate for each connection, as servers reload changed files
 */
export async function listenTls(
  { host, port }: { readonly host: string; readonly port: number },
  pairOf: () => ServerPair,
  attach: (server: Http2SecureServer) => void,
): Promise<Listener> {
  let known: { readonly pair: ServerPair; readonly context: SecureContext } | undefined;
  const context = (): SecureContext => {
    const pair = pairOf();
    if (known?.pair.cert !== pair.cert || known.pair.ca !== pair.ca)
      known = { pair, context: createSecureContext(pair) };
    return known.context;
  };
  const options: SecureServerOptions = {
    allowHTTP1: true,
    requestCert: true,
    rejectUnauthorized: false,
    SNICallback: (_, callback) => callback(null, context()),
  };
  // Without a server name the pair of the start counts.
  const server = createSecureServer({ ...options, ...pairOf() });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('sessionError', () => undefined);
  server.on('tlsClientError', () => undefined);
  attach(server);
  server.listen({ host, port });
  await once(server, 'listening');
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
