/** Which proxy a URL is fetched through, by the rules of the environment variables. Pure. */
import { BlockList, isIP } from 'node:net';

/** As in http_proxy, https_proxy and no_proxy; empty means unset. */
export interface ProxySettings {
  readonly http: string;
  readonly https: string;
  /** Hosts that are reached without a proxy: names, suffixes, addresses, CIDRs or `*`, by commas. */
  readonly none: string;
}

export const NO_PROXIES: ProxySettings = { http: '', https: '', none: '' };

/** Settings from the variables of a process, in small letters or in capitals. */
export function proxiesFrom(
  environment: Readonly<Record<string, string | undefined>>,
): ProxySettings {
  const read = (name: string): string => environment[name] || environment[name.toUpperCase()] || '';
  return { http: read('http_proxy'), https: read('https_proxy'), none: read('no_proxy') };
}

/**
 * Proxy for a URL, or undefined for none. The machine itself is never reached through a proxy, as in
 * programs written in Go.
 */
export function proxyFor(
  { protocol, hostname, port }: URL,
  proxies: ProxySettings,
): string | undefined {
  const proxy = protocol === 'https:' ? proxies.https : proxies.http;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (proxy === '' || isOwn(host)) return undefined;
  const wanted = port || (protocol === 'https:' ? '443' : '80');
  const exempt = proxies.none
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && matches(entry.toLowerCase(), host, wanted));
  if (exempt) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isOwn(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return inRange(entry, host);
  const [, name = entry, only] = /^(.*?[^:]):(\d+)$/.exec(entry) ?? [];
  if (only !== undefined && only !== port) return false;
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  // With a dot in front only names below it are meant, else the name itself too.
  return host.endsWith(`.${bare}`) || (bare === host && !/^\*?\./.test(name));
}

function inRange(range: string, host: string): boolean {
  const [address = '', bits = ''] = range.split('/');
  const family = isIP(host);
  if (family === 0 || isIP(address) !== family || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(address, Number(bits), type);
  return list.check(host, type);
}
