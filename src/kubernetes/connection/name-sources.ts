/**
 * Sources of the addresses of a name. The hosts file and DNS need no thread. `getaddrinfo` of the operating system, which is the
 * default of Node.js, needs one of two threads for each name, for ten seconds or more if the DNS server does not respond.
 */
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Sources of addresses in the order of their use. */
export interface NameSources {
  /** Uses the hosts file and the DNS servers, without a thread. @returns an empty list if they have no address */
  resolve(name: string): Promise<readonly LookupAddress[]>;
  /** Uses the resolver of the operating system, in a thread. @throws Error if it has no address */
  lookup(name: string): Promise<readonly LookupAddress[]>;
}

/** How the operating system completes a name, see resolv.conf(5). */
export interface SearchSettings {
  readonly search: readonly string[];
  /** A name with at least as many dots is queried as it is, before the search domains are. */
  readonly ndots: number;
}

/** Kubernetes allows 32 search domains. */
const MAX_DOMAINS = 32;

/** Parses the search settings in resolv.conf. The last line of a kind counts. */
export function searchSettings(text: string): SearchSettings {
  let settings: SearchSettings = { search: [], ndots: 1 };
  for (const [keyword, ...words] of wordsIn(text)) {
    if (keyword === 'search' || keyword === 'domain')
      settings = { ...settings, search: words.slice(0, MAX_DOMAINS).map(withoutDot) };
    const found = keyword === 'options' ? words.find((word) => /^ndots:\d{1,2}$/.test(word)) : '';
    if (found) settings = { ...settings, ndots: Number(found.slice('ndots:'.length)) };
  }
  return settings;
}

/** Returns the names to query for a name, in their order. */
export function candidates(name: string, { search, ndots }: SearchSettings): readonly string[] {
  if (name.endsWith('.')) return [withoutDot(name)];
  const completed = search.filter((domain) => domain !== '').map((domain) => `${name}.${domain}`);
  const isFirst = name.split('.').length > ndots;
  return isFirst ? [name, ...completed] : [...completed, name];
}

/** Parses a hosts file. @returns addresses by name, in lower case */
export function hostsIn(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const [address = '', ...names] of wordsIn(text)) {
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((one) => one.toLowerCase()))
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }]);
  }
  return hosts;
}

/** Words of each line without its comment. */
const wordsIn = (text: string): readonly (readonly string[])[] =>
  text.split('\n').map((line) => {
    const [content = ''] = line.split(/[#;]/, 1);
    return content.split(/[ \t\r]/).filter((word) => word !== '');
  });

const withoutDot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name);

const TIMES = { timeout: 2_000, tries: 2 };

/** Files of the operating system. Others in tests. */
const FILES = { hosts: '/etc/hosts', resolver: '/etc/resolv.conf' };

/** Returns the sources of this process. The kubelet writes their files before it starts a container, so they are read once. */
export function systemSources(
  files = FILES,
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'> = new Resolver(TIMES),
): NameSources {
  const content = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
  const hosts = content(files.hosts).then(hostsIn);
  const search = content(files.resolver).then(searchSettings);
  const query = async (name: string): Promise<readonly LookupAddress[]> => {
    const [four, six] = await Promise.all([
      resolver.resolve4(name).catch(() => []),
      resolver.resolve6(name).catch(() => []),
    ]);
    return [
      ...four.map((address) => ({ address, family: 4 })),
      ...six.map((address) => ({ address, family: 6 })),
    ];
  };
  return {
    resolve: async (name) => {
      const known = (await hosts).get(withoutDot(name).toLowerCase());
      if (known !== undefined) return known;
      for (const candidate of candidates(name, await search)) {
        const found = await query(candidate);
        if (found.length > 0) return found;
      }
      return [];
    },
    lookup: (name) => systemLookup(name, { all: true }),
  };
}
