import type { Socket } from 'node:net';
import { Agent, buildConnector, ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici';
import type { Credentials, Endpoint, Route } from './connection.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Below the 60 s after which common load balancers forget an idle connection. */
const KEEP_ALIVE_MS = 30_000;

function tlsOptions(credentials: Credentials): buildConnector.BuildOptions {
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

/**
 * Pooled connections to one endpoint with these credentials.
 * @param allowH2 HTTP/2 where the server offers it; a WebSocket needs HTTP/1.1
 */
export function newDispatcher(
  { route, proxyUrl, lookup }: Pick<Endpoint, 'route' | 'proxyUrl' | 'lookup'>,
  credentials: Credentials,
  { allowH2 }: { readonly allowH2: boolean },
): Dispatcher {
  const tls = tlsOptions(credentials);
  if (route !== undefined) return new Agent({ allowH2, connect: routedConnector(route, tls) });
  if (proxyUrl === undefined)
    return new Agent({ allowH2, connect: { ...tls, ...(lookup && { lookup }) } });
  if (proxyUrl.startsWith('socks')) return new Socks5ProxyAgent(proxyUrl, { requestTls: tls });
  return new ProxyAgent({ uri: proxyUrl, allowH2, requestTls: tls });
}
