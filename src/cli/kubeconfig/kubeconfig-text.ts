/** Builds and merges kubeconfigs. Pure functions. */
import { dump } from 'js-yaml';
import { isObject } from '../../kubernetes/compare.ts';
import { readYaml } from '../read-yaml.ts';
import { CommandError } from '../program/environment.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Cluster and user of the current context of a kubeconfig. */
export interface Access {
  readonly cluster: Fields;
  readonly user: Fields;
}

const LISTS = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;

type ListName = keyof typeof LISTS;

/**
 * Parses a kubeconfig.
 * @param source such as a file name, for errors
 * @throws CommandError without content of the file, which has credentials
 */
export function parseKubeconfig(text: string, source: string): Fields {
  let documents: readonly unknown[];
  try {
    documents = readYaml(text, source);
  } catch {
    throw new CommandError(`${source}: not valid YAML`);
  }
  const [config] = documents;
  if (config === undefined || config === null) return {};
  if (!isObject(config) || documents.length > 1)
    throw new CommandError(`${source}: not a kubeconfig`);
  return config;
}

const entries = (config: Fields, list: ListName): readonly Fields[] => {
  const value = config[list];
  return Array.isArray(value) ? value.filter(isObject) : [];
};

function entry(config: Fields, list: ListName, name: unknown): Fields {
  const found = entries(config, list).find((item) => item['name'] === name)?.[LISTS[list]];
  return isObject(found) ? found : {};
}

/**
 * Returns cluster and user of the current context.
 * @throws CommandError if there is none
 */
export function currentAccess(text: string, source: string): Access {
  const config = parseKubeconfig(text, source);
  const context = entry(config, 'contexts', config['current-context']);
  const cluster = entry(config, 'clusters', context['cluster']);
  if (typeof cluster['server'] !== 'string')
    throw new CommandError(`${source}: no current context with a server`);
  return { cluster, user: entry(config, 'users', context['user']) };
}

/** Returns the access through another address. @param serverName name that the serving certificate has */
export const through = ({ cluster, user }: Access, server: string, serverName: string): Access => ({
  user,
  cluster: { ...cluster, server, 'tls-server-name': serverName },
});

/** Returns a kubeconfig whose cluster, user and context have this name. */
export const kubeconfigOf = (name: string, { cluster, user }: Access): Fields => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name, cluster }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name } }],
  'current-context': name,
});

/** Adds the entries of a kubeconfig to another one, and replaces entries with the same name. */
export function mergedKubeconfig(present: Fields, added: Fields): Fields {
  const lists = (Object.keys(LISTS) as ListName[]).map((list) => {
    const own = entries(added, list);
    const names = new Set(own.map(({ name }) => name));
    return [list, [...entries(present, list).filter(({ name }) => !names.has(name)), ...own]];
  });
  return {
    apiVersion: 'v1',
    kind: 'Config',
    ...present,
    ...(Object.fromEntries(lists) as Fields),
    'current-context': present['current-context'] || added['current-context'],
  };
}

/** Formats a kubeconfig as YAML. */
export const kubeconfigYaml = (config: Fields): string =>
  dump(config, { lineWidth: -1, noRefs: true });
