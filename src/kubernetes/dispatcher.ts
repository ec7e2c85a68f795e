import type { Socket } from 'node:net';
import { Agent, buildConnector, ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici';
import type { Credentials, Endpoint, Route } from './connection.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Below the 60 s after which common load balancers forget an idle connection. */
const KEEP_ALIVE_MS = 30_000;

export function tlsOptions(credentials: Credentials): buildConnector.BuildOptions {
  const { ca, cert, key, serverName } = credentials;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(credentials.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    timeout: CONNECT_TIMEOUT_MS,
  };
}

/** TLS on top of whatever stream the route dials. */
function routedConnector(route: Route, tls: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(tls);
  return (options, callback) => {
    route({ host: options.hostname, port: Number(options.port || 443) }).then(
      // tls.connect takes any duplex stream; undici's type names only its commonest kind.
      (stream) => connect({ ...options, httpSocket: stream as Socket }, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/** Pooled connections to one endpoint with these credentials; HTTP/2 where the server offers it. */
export function newDispatcher(endpoint: Endpoint, credentials: Credentials): Dispatcher {
  const tls = tlsOptions(credentials);
  if (endpoint.route !== undefined) {
    return new Agent({ allowH2: true, connect: routedConnector(endpoint.route, tls) });
  }
  if (endpoint.proxyUrl === undefined) {
    const { lookup } = endpoint;
    return new Agent({ allowH2: true, connect: { ...tls, ...(lookup && { lookup }) } });
  }
  if (endpoint.proxyUrl.startsWith('socks')) {
    return new Socks5ProxyAgent(endpoint.proxyUrl, { requestTls: tls });
  }
  return new ProxyAgent({ uri: endpoint.proxyUrl, requestTls: tls });
}
