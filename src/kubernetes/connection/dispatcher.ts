import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici';
import { guardedLookup, hostError, type AddressPolicy } from './addresses.ts';
import type { InTurn } from '../fairness/received-data.ts';
import type { Credentials, Endpoint, Dialer } from './connection.ts';
import { asError } from '../objects/thrown.ts';
import { asSocket, pacedConnector, pacedProxy, pacedTcp } from './paced-connector.ts';
import { pacedStream } from './paced-stream.ts';
import { nameOptions } from './server-name.ts';
import { TlsContext, BOUNDED_TLS } from './tls-context.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Keepalive interval. Common load balancers drop idle connections after 60 s. */
const KEEP_ALIVE_MS = 30_000;

const TCP_OPTIONS = {
  keepAlive: true,
  keepAliveInitialDelay: KEEP_ALIVE_MS,
  timeout: CONNECT_TIMEOUT_MS,
} as const;

function tlsOptions(credentials: Credentials): buildConnector.BuildOptions {
  const { ca, cert, key, serverName } = credentials;
  return {
    ...BOUNDED_TLS,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : nameOptions(serverName)),
    ...(credentials.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
    ...TCP_OPTIONS,
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
  inTurn: InTurn | undefined,
): buildConnector.connector {
  return (options, callback) => {
    route({ host: options.hostname, port: Number(options.port || 443) })
      .then((stream) => (inTurn === undefined ? stream : pacedStream(stream, inTurn)))
      .then((stream) => connect({ ...options, httpSocket: asSocket(stream) }, callback))
      .catch((error: unknown) => callback(asError(error), null));
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
  const inTurn = addresses?.inTurn;
  if (route !== undefined)
    return new Agent({
      ...options,
      connect: routedConnector(route, sharingConnector(context, sharing), inTurn),
    });
  const refused = addresses && refusedUrl([target.server, proxyUrl], addresses);
  if (refused !== undefined) return failingDispatcher(refused);
  const tcp = { ...TCP_OPTIONS, ...lookupFor(target) };
  if (proxyUrl !== undefined) return proxyDispatcher(proxyUrl, { ...options, tls, tcp, inTurn });
  const connect = sharingConnector(context, { ...sharing, ...tcp });
  return new Agent({
    ...options,
    connect: inTurn ? pacedConnector(connect, tcp, inTurn) : connect,
  });
}

interface ProxyOptions extends Pick<Agent.Options, 'allowH2' | 'webSocket'> {
  /** Of the connections through the proxy. */
  readonly tls: buildConnector.BuildOptions;
  /** Of the connections to the proxy. */
  readonly tcp: buildConnector.BuildOptions;
  readonly inTurn: InTurn | undefined;
}

function proxyDispatcher(uri: string, { tls, tcp, inTurn, ...options }: ProxyOptions): Dispatcher {
  if (uri.startsWith('socks')) {
    const connect = inTurn === undefined ? buildConnector(tcp) : pacedTcp(tcp, inTurn);
    return new Socks5ProxyAgent(uri, { ...options, requestTls: tls, connect });
  }
  const proxyTls = { ...BOUNDED_TLS, ...tcp };
  const paced = inTurn && pacedProxy(proxyTls, inTurn);
  return new ProxyAgent({ ...options, uri, requestTls: tls, proxyTls, ...paced });
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
