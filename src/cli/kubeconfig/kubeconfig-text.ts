/** Builds and merges kubeconfigs. Pure functions. */
import { KUBECONFIG_LISTS, type Access } from '../../control-plane-access/admin-kubeconfig.ts';
import { keysOf, recordOf } from '../../kubernetes/objects/records.ts';
import { dump } from 'js-yaml';
import { isObject } from '../../kubernetes/objects/compare.ts';
import { readYaml } from '../read-yaml.ts';
import { CommandError } from '../program/environment.ts';

type Fields = Readonly<Record<string, unknown>>;

type ListName = keyof typeof KUBECONFIG_LISTS;

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

/** Returns the access through another address. @param serverName name that the serving certificate has */
export const through = (access: Access, server: string, serverName: string): Access => ({
  ...access,
  cluster: { ...access.cluster, server, 'tls-server-name': serverName },
});

/** Returns a kubeconfig whose cluster, user and context have this name. */
export const kubeconfigOf = (name: string, { cluster, user, namespace }: Access): Fields => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name, cluster }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name, ...(namespace && { namespace }) } }],
  'current-context': name,
});

/** Adds the entries of a kubeconfig to another one, and replaces entries with the same name. */
export function mergedKubeconfig(present: Fields, added: Fields): Fields {
  const lists = keysOf(KUBECONFIG_LISTS).map((list) => {
    const own = entries(added, list);
    const names = new Set(own.map(({ name }) => name));
    const others = entries(present, list).filter(({ name }) => !names.has(name));
    return [list, [...others, ...own]] as const;
  });
  return {
    apiVersion: 'v1',
    kind: 'Config',
    ...present,
    ...recordOf(lists),
    'current-context': present['current-context'] || added['current-context'],
  };
}

/** Formats a kubeconfig as YAML. */
export const kubeconfigYaml = (config: Fields): string =>
  dump(config, { lineWidth: -1, noRefs: true });
