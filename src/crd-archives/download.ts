/** Downloads an archive over HTTP(S), with limits for time, size and redirects. Trusts only the configured CA. */
import { Agent, buildConnector, ProxyAgent, type Dispatcher } from 'undici';
import { guardedLookup, type TenantAddresses } from '../kubernetes/connection/addresses.ts';
import { pacedConnector, pacedProxy } from '../kubernetes/connection/paced-connector.ts';
import { BOUNDED_TLS } from '../kubernetes/connection/tls-context.ts';
import { refusedUrl } from '../kubernetes/connection/dispatcher.ts';
import type { Clock } from '../kubernetes/time/clock.ts';
import { badStatus, refusal, thrown, tooSlow, type Route } from './download-errors.ts';
import { SourceError } from './outcome.ts';
import { proxyFor, type ProxySettings } from './proxies.ts';
import { isRedirect, nextHop } from './redirect.ts';
import { redacted, type DownloadSource } from './source.ts';
import { DOWNLOAD_TIMES, Watchdog, type DownloadTimes } from './download-timeout.ts';

export interface DownloadTools {
  readonly clock: Clock;
  /** Proxies of the process environment. A proxy of the source has precedence. */
  readonly proxies: ProxySettings;
  readonly userAgent: string;
  readonly times?: DownloadTimes;
  /** Addresses to which the operator may connect. */
  readonly addresses: TenantAddresses;
}

/** Disables the timeouts of undici. `Watchdog` limits the time instead. */
const NEVER = 0;

/**
 * Streams the content of a URL. Closes the connection when the reader stops early.
 * @param limit maximum size in bytes
 * @param signal cancels the download
 * @throws SourceError with cause and action
 */
export async function* download(
  source: DownloadSource,
  tools: DownloadTools,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const watchdog = new Watchdog(tools.clock, tools.times ?? DOWNLOAD_TIMES, signal);
  let route: Route = { shown: redacted(source.url), proxy: 'none' };
  let hop: Hop | undefined;
  try {
    let url = new URL(source.url);
    for (let followed = 0; ; followed += 1) {
      const proxy = chooseProxy(source, tools, url);
      route = { shown: redacted(url.href), proxy: proxy.kind };
      hop = await ask(url, { source, tools, watchdog, proxy });
      if (!isRedirect(hop.answer.statusCode)) break;
      const next = nextHop(url, hop.answer.headers['location'], followed);
      await hop.close();
      if ('refused' in next)
        throw refusal(route, next.refused, 'use the final address of the redirects');
      url = next.url;
    }
    yield* body(hop.answer, route, watchdog, limit);
  } catch (error) {
    if (watchdog.verdict !== undefined) throw tooSlow(route, watchdog.verdict);
    throw error instanceof SourceError ? error : thrown(route, error);
  } finally {
    watchdog.clear();
    await hop?.close();
  }
}

interface Proxy {
  readonly kind: Route['proxy'];
  readonly url?: string;
}

function chooseProxy({ proxyUrl }: DownloadSource, { proxies }: DownloadTools, url: URL): Proxy {
  if (proxyUrl !== undefined) return { kind: 'own', url: proxyUrl };
  const found = proxyFor(url, proxies);
  return found === undefined ? { kind: 'none' } : { kind: 'environment', url: found };
}

interface Hop {
  readonly answer: Dispatcher.ResponseData;
  close(): Promise<void>;
}

interface Asking {
  readonly source: DownloadSource;
  readonly tools: DownloadTools;
  readonly watchdog: Watchdog;
  readonly proxy: Proxy;
}

/** Sends one request on a new connection, because downloads are rare and each may have another CA. */
async function ask(url: URL, { source, tools, watchdog, proxy }: Asking): Promise<Hop> {
  const refused = refusedUrl(
    [url.href, ...(proxy.kind === 'own' ? [proxy.url] : [])],
    tools.addresses,
  );
  if (refused !== undefined) throw refused;
  const isPlain = url.protocol === 'http:';
  const dispatcher = newDispatcher(proxy, { ca: source.ca, isPlain }, tools.addresses);
  try {
    watchdog.asked();
    const answer = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers: {
        'user-agent': tools.userAgent,
        accept: 'application/gzip, application/octet-stream, */*',
        'accept-encoding': 'identity',
        ...authorization(url),
      },
      signal: watchdog.signal,
      headersTimeout: NEVER,
      bodyTimeout: NEVER,
    });
    // An error of a body that is not read must not end the process.
    answer.body.on('error', () => undefined);
    return { answer, close: () => dispatcher.destroy() };
  } catch (error) {
    await dispatcher.destroy();
    throw error;
  }
}

interface Server {
  readonly ca: string | undefined;
  /** Whether it has no TLS. */
  readonly isPlain: boolean;
}

/** Creates the dispatcher. The address policy does not apply to a proxy of the operator environment. */
function newDispatcher(
  { kind, url }: Proxy,
  { ca, isPlain }: Server,
  policy: TenantAddresses,
): Dispatcher {
  const tls = { ...BOUNDED_TLS, ...(ca !== undefined && { ca }), timeout: NEVER };
  const { inTurn } = policy;
  const lookup = guardedLookup(policy);
  if (url === undefined) {
    const own = { ...tls, lookup };
    const connect = buildConnector(own);
    return new Agent({ connect: inTurn ? pacedConnector(connect, own, inTurn) : connect });
  }
  const proxyTls = { ...BOUNDED_TLS, timeout: NEVER, ...(kind === 'own' && { lookup }) };
  const paced = inTurn && pacedProxy(proxyTls, inTurn, isPlain);
  return new ProxyAgent({ uri: url, requestTls: tls, proxyTls, proxyTunnel: false, ...paced });
}

function authorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const user = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function* body(
  answer: Dispatcher.ResponseData,
  route: Route,
  watchdog: Watchdog,
  limit: number,
): AsyncGenerator<Uint8Array> {
  if (answer.statusCode !== 200) throw badStatus(route, answer.statusCode);
  const tooLarge = (): Error =>
    refusal(route, `it is larger than ${limit} bytes`, 'use the crds.tar.gz of a Karmada release');
  if (Number(answer.headers['content-length'] ?? 0) > limit) throw tooLarge();
  let size = 0;
  watchdog.moved();
  const body: AsyncIterable<Uint8Array> = answer.body;
  for await (const chunk of body) {
    watchdog.moved();
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    yield chunk;
  }
}
