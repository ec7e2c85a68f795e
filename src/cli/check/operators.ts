/** Finds the operators whose permissions the check reviews. */
import type { Deployment } from '../../kubernetes/objects/kinds.ts';
import { Command } from 'commander';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { WatchScope } from '../../permissions/watch-scope.ts';
import { addWatchFlags, watchScope, type WatchFlags } from '../../permissions/watch-options.ts';
import { activeNamespace } from '../operator-namespace.ts';
import { OPERATOR } from '../information/version-command.ts';

/** More arguments than the operator has flags; the parser needs quadratic time. */
const MAX_ARGUMENTS = 1_000;

export interface Operator {
  /** Its Deployment, for messages. */
  readonly name: string;
  /** User of its ServiceAccount. */
  readonly user: string;
  /** Undefined if it watches all namespaces. */
  readonly scope: WatchScope | undefined;
}

/** A Deployment whose arguments are not valid. */
interface Unreadable {
  readonly name: string;
  readonly error: string;
}

type OperatorClient = Pick<KubernetesClient, 'find' | 'list'>;

/**
 * Finds the Deployments of the operator. Every tenant can create one with its label. Therefore only those in the namespace of the active
 * installation count, if its Lease in kube-system can be read.
 * @throws Error if there is none; ApiError, NetworkError
 */
export async function findOperators(
  client: OperatorClient,
): Promise<readonly (Operator | Unreadable)[]> {
  const namespace = await activeNamespace(client);
  const { items } = await client.list(resources.Deployment, {
    labelSelector: OPERATOR,
    ...(namespace !== undefined && { namespace }),
  });
  if (items.length > 0) return items.map(operatorOf);
  const where =
    namespace === undefined ? '' : ` in namespace ${namespace}, whose operator holds the Lease`;
  throw new Error(`no Deployment of the operator found${where}, so its permissions are unknown`);
}

function operatorOf({ metadata, spec }: Deployment): Operator | Unreadable {
  const { namespace = '' } = metadata;
  const name = `Deployment ${namespace}/${metadata.name}`;
  const { serviceAccountName = 'default', containers = [] } = spec?.template?.spec ?? {};
  try {
    const scope = scopeOf(containers.flatMap(({ args = [] }) => args));
    return { name, user: `system:serviceaccount:${namespace}:${serviceAccountName}`, scope };
  } catch (error) {
    return { name, error: errorText(error) };
  }
}

/** Reads the flags that limit an operator to namespaces, from its arguments. It prints nothing. @throws Error */
function scopeOf(args: readonly string[]): WatchScope | undefined {
  if (args.length > MAX_ARGUMENTS) throw new Error(`it has more than ${MAX_ARGUMENTS} arguments`);
  const nothing = (): void => undefined;
  const command = addWatchFlags(new Command())
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeOut: nothing, writeErr: nothing });
  return watchScope(command.parse(args, { from: 'user' }).opts<WatchFlags>());
}
