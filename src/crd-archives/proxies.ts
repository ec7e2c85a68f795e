/**
 * Selects the proxy of a URL by the rules of the proxy environment variables, as Go programs do. Pure functions. No
 * library supports CIDRs in no_proxy (docs/adr/0009-crd-archives.md).
 */
import { BlockList, isIP } from 'node:net';

/** Values of http_proxy, https_proxy and no_proxy. An empty string means unset. */
export interface ProxySettings {
  readonly http: string;
  readonly https: string;
  /** Hosts without a proxy: comma-separated names, suffixes, addresses, CIDRs or `*`. */
  readonly none: string;
}

export const NO_PROXIES: ProxySettings = { http: '', https: '', none: '' };

/** Reads the settings from environment variables, lower case first, then upper case. */
export function proxiesFrom(
  environment: Readonly<Record<string, string | undefined>>,
): ProxySettings {
  const read = (name: string): string => environment[name] || environment[name.toUpperCase()] || '';
  return { http: read('http_proxy'), https: read('https_proxy'), none: read('no_proxy') };
}

/**
 * Returns the proxy for a URL, or undefined for none. As in Go programs, loopback addresses never use
 * a proxy.
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
  // An entry with a leading dot matches only subdomains, any other entry also the name itself.
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
