import { existsSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { kubeConfigEndpoint, type Endpoint } from './connection.ts';

/**
 * Endpoint of the current context of a kubeconfig file. This module is separate from `connection.ts`, because the
 * models of the client library need three times the memory of all other code; the operator in a Pod does not load it.
 * @throws Error when the file cannot be read or has no usable current context
 */
export function kubeConfigFileEndpoint(file: string): Endpoint {
  const config = new KubeConfig();
  config.loadFromFile(file);
  return kubeConfigEndpoint(config);
}

/** A context of a kubeconfig. */
export interface KubeConfigContext {
  readonly endpoint: Endpoint;
  /** Namespace of the context. */
  readonly namespace: string | undefined;
}

/** Whether a missing file is an error, and the name of the context; the current context when undefined. */
export interface ContextChoice {
  readonly required: boolean;
  readonly context: string | undefined;
}

/**
 * Context of several kubeconfig files. As in kubectl, the first file that has an entry or a current context wins.
 * @param files absolute paths
 * @returns undefined if no file exists
 * @throws Error for an unreadable file, or for a context that does not exist
 */
export function kubeConfigContext(
  files: readonly string[],
  { required, context }: ContextChoice,
): KubeConfigContext | undefined {
  const present = required ? files : files.filter((file) => existsSync(file));
  if (present.length === 0) return undefined;
  const config = merged(present);
  if (context !== undefined) {
    if (config.getContextObject(context) === null)
      throw new Error(`context ${JSON.stringify(context)} does not exist in the kubeconfig`);
    config.setCurrentContext(context);
  }
  const { namespace } = config.getContextObject(config.getCurrentContext()) ?? {};
  return { endpoint: kubeConfigEndpoint(config), namespace };
}

function merged(files: readonly string[]): KubeConfig {
  const all = files.map((file) => {
    const config = new KubeConfig();
    config.loadFromFile(file);
    return config;
  });
  const [first] = all;
  if (first !== undefined && all.length === 1) return first;
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: firstOfEach(all.flatMap(({ clusters }) => clusters)),
    users: firstOfEach(all.flatMap(({ users }) => users)),
    contexts: firstOfEach(all.flatMap(({ contexts }) => contexts)),
    currentContext: all.map((one) => one.getCurrentContext()).find((name) => name) ?? '',
  });
  return config;
}

function firstOfEach<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return entries.filter(
    ({ name }, index) => entries.findIndex((entry) => entry.name === name) === index,
  );
}
