/** Connects a command to the management cluster, with the kubeconfig rules of kubectl. */
import { delimiter, join, resolve } from 'node:path';
import { karmadaBackups, karmadaBackupStores, karmadaRestores } from '../../api/backup/kinds.ts';
import { karmadas } from '../../host-clusters/host.ts';
import { createClient } from '../../kubernetes/client/client.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import {
  explicitEndpoint,
  type Endpoint,
  type ExplicitAccess,
} from '../../kubernetes/connection/connection.ts';
import { inClusterEndpoint } from '../../kubernetes/connection/in-cluster.ts';
import type { HostTools } from '../plan-host.ts';
import { CommandError, type Environment } from './environment.ts';

/** Global flags of all commands that use a cluster. */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** Connection to the management cluster. */
export interface Connection extends HostTools {
  /** Value of the header `User-Agent`. */
  readonly userAgent: string;
  readonly endpoint: Endpoint;
  /** Namespace of `-n`, otherwise of the context, otherwise `default`. */
  readonly namespace: string;
}

/** What a command with a connection runs with. */
export interface CommandRequest<Flags> {
  readonly environment: Environment;
  readonly connection: Connection;
  readonly flags: Flags;
}

/**
 * Kubeconfig files in order of precedence: `--kubeconfig`, `$KUBECONFIG` (a list), `~/.kube/config`.
 * @returns absolute paths; `required` if a missing file is an error
 */
export function kubeconfigFiles(
  flag: string | undefined,
  environment: Pick<Environment, 'variables' | 'homeDirectory' | 'workingDirectory'>,
): { readonly files: readonly string[]; readonly required: boolean } {
  const { variables, homeDirectory, workingDirectory } = environment;
  if (flag !== undefined) return { files: [resolve(workingDirectory, flag)], required: true };
  const listed = (variables['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const files = listed.map((path) => resolve(workingDirectory, path));
  return files.length > 0
    ? { files, required: false }
    : { files: [join(homeDirectory, '.kube/config')], required: false };
}

interface Located {
  readonly endpoint: Endpoint;
  readonly namespace: string | undefined;
}

async function locate(environment: Environment, flags: ConnectionFlags): Promise<Located> {
  const { files, required } = kubeconfigFiles(flags.kubeconfig, environment);
  // The client library takes longer to load than all other modules, and help and completion do not need it.
  const { kubeConfigContext } = await import('../../kubernetes/connection/kubeconfig.ts');
  const found = kubeConfigContext(files, { required, context: flags.context });
  if (found !== undefined) return found;
  if (environment.variables['KUBERNETES_SERVICE_HOST'] !== undefined)
    return { endpoint: inClusterEndpoint({ ...environment.variables }), namespace: undefined };
  throw new CommandError(
    `no kubeconfig found (${files.join(', ')}); set --kubeconfig or the variable KUBECONFIG`,
  );
}

/**
 * Runs an action with a connection, and closes it afterwards.
 * @throws CommandError without a usable kubeconfig; errors of the action
 */
export async function withConnection<T>(
  environment: Environment,
  flags: ConnectionFlags,
  action: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { endpoint, namespace = 'default' } = await locate(environment, flags);
  const userAgent = `kubectl-karmada-operator/${environment.version}`;
  const options = {
    resources: [karmadas, karmadaBackups, karmadaBackupStores, karmadaRestores],
    userAgent,
    clock: environment.clock,
  };
  const client = createClient(endpoint, options);
  const connect = (access: ExplicitAccess): KubernetesClient =>
    createClient(explicitEndpoint(access), options);
  try {
    return await action({
      client,
      connect,
      endpoint,
      userAgent,
      namespace: flags.namespace ?? namespace,
    });
  } finally {
    await client.close();
  }
}
