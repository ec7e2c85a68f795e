import { type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector, ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici';
import { guardedLookup, hostError, type AddressPolicy } from './addresses.ts';
import type { Credentials, Endpoint, Dialer } from './connection.ts';
import { nameOptions } from './server-name.ts';
import { TlsContext, WITHOUT_RENEGOTIATION } from './tls-context.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Keepalive interval. Common load balancers drop idle connections after 60 s. */
const KEEP_ALIVE_MS = 30_000;

function tlsOptions(credentials: Credentials): buildConnector.BuildOptions {
  const { ca, cert, key, serverName } = credentials;
  return {
    ...WITHOUT_RENEGOTIATION,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : nameOptions(serverName)),
    ...(credentials.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    timeout: CONNECT_TIMEOUT_MS,
  };
}

/** Connector whose connections share a TLS context, which the first one creates. */
function sharingConnector(
  context: TlsContext,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  let connector: buildConnector.connector | undefined;
  return (target, callback) => {
    connector ??= buildConnector(
      target.protocol === 'https:' ? { ...options, secureContext: context.get() } : options,
    );
    connector(target, callback);
  };
}

/** Connector that opens TLS on the stream of a route. */
function routedConnector(
  route: Dialer,
  connect: buildConnector.connector,
): buildConnector.connector {
  return (options, callback) => {
    route({ host: options.hostname, port: Number(options.port || 443) })
      // tls.connect accepts any duplex stream, but the type of undici allows only sockets.
      .then((stream) => connect({ ...options, httpSocket: stream as Socket }, callback))
      .catch((error: unknown) =>
        callback(error instanceof Error ? error : new Error(String(error)), null),
      );
  };
}

type Target = Pick<Endpoint, 'server' | 'route' | 'proxyUrl' | 'addresses'>;

/**
 * Limits of a WebSocket message, because undici collects a message before it delivers it: by default 128 MiB. A kubelet sends
 * messages of at most 32 KiB, in one fragment.
 */
export const WEB_SOCKET_LIMITS = { maxPayloadSize: 131_072, maxFragments: 16 } as const;

/**
 * Creates an undici dispatcher with pooled connections to one endpoint, with HTTP/2 if the server supports it.
 * @param context of these credentials, for several dispatchers
 */
export const newDispatcher = (
  target: Target,
  credentials: Credentials,
  context = new TlsContext(credentials),
): Dispatcher => dispatcherFor(target, { ...credentials, context }, { allowH2: true });

/** Creates an undici dispatcher for WebSockets to one endpoint. A WebSocket needs HTTP/1.1. */
export const webSocketDispatcher = (target: Target, credentials: Credentials): Dispatcher =>
  dispatcherFor(
    target,
    { ...credentials, context: new TlsContext(credentials) },
    { allowH2: false, webSocket: WEB_SOCKET_LIMITS },
  );

interface Tls extends Credentials {
  readonly context: TlsContext;
}

function dispatcherFor(
  target: Target,
  { context, ...credentials }: Tls,
  options: Pick<Agent.Options, 'allowH2' | 'webSocket'>,
): Dispatcher {
  const { route, proxyUrl, addresses } = target;
  const tls = tlsOptions(credentials);
  const sharing = { ...tls, allowH2: options.allowH2 ?? false };
  if (route !== undefined)
    return new Agent({
      ...options,
      connect: routedConnector(route, sharingConnector(context, sharing)),
    });
  const refused = addresses && refusedUrl([target.server, proxyUrl], addresses);
  if (refused !== undefined) return failingDispatcher(refused);
  const lookup = lookupFor(target);
  if (proxyUrl === undefined)
    return new Agent({ ...options, connect: sharingConnector(context, { ...sharing, ...lookup }) });
  if (proxyUrl.startsWith('socks')) {
    const connect = buildConnector({ ...lookup, timeout: CONNECT_TIMEOUT_MS });
    return new Socks5ProxyAgent(proxyUrl, { ...options, requestTls: tls, connect });
  }
  return new ProxyAgent({ ...options, uri: proxyUrl, requestTls: tls, proxyTls: lookup });
}

/** DNS lookup for the server or the proxy. It runs for each connection, so the check applies to the address in use. */
function lookupFor({ addresses }: Target): { readonly lookup?: LookupFunction } {
  return addresses === undefined ? {} : { lookup: guardedLookup(addresses) };
}

/** Error of the first URL whose host is not allowed; undefined if all are allowed. */
export function refusedUrl(
  urls: readonly (string | undefined)[],
  policy: AddressPolicy,
): Error | undefined {
  return urls
    .flatMap((url) => (url === undefined ? [] : [hostError(new URL(url).hostname, policy)]))
    .find((error) => error !== undefined);
}

/** Dispatcher whose connections all fail with the given error. */
const failingDispatcher = (error: Error): Dispatcher =>
  new Agent({ connect: (_, callback) => callback(error, null) });
