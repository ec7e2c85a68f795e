/** RBAC permissions of the operator. */
import { Command } from 'commander';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { apiVersionOf, resources } from '../../kubernetes/resources.ts';
import { missingPermissionsText } from '../../permissions/missing-permissions-text.ts';
import { permissionsOf } from '../../permissions/needed.ts';
import { permissionText, type Permission } from '../../permissions/permission.ts';
import { scopedPermissions, type WatchScope } from '../../permissions/watch-scope.ts';
import { addWatchFlags, watchScope, type WatchFlags } from '../../permissions/watch-options.ts';
import { OPERATOR } from '../information/version-command.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';

/** Permissions that the operator lacks in the host cluster. */
export async function permissions({ tools, client, karmada, isRemote }: Subject): Promise<Found> {
  const { namespace = '' } = karmada.metadata;
  const ok = 'the operator has all permissions';
  if (isRemote) {
    const missing = await denied(client, permissionsOf('remote'), { namespace });
    return { ok, problems: lacking('the remote host cluster', missing, 'remote') };
  }
  const operators = await operatorsIn(tools.client);
  if (operators.length === 0)
    throw new Error('no Deployment of the operator found, so its permissions are unknown');
  const watching = operators.filter(({ scope }) => scope?.namespaces.includes(namespace) ?? true);
  if (watching.length === 0) return { ok, problems: [unwatched(namespace)] };
  const missing = await Promise.all(
    watching.map((operator) => deniedTo(tools.client, operator, namespace)),
  );
  return { ok, problems: lacking('the cluster of the operator', missing.flat(), 'own') };
}

const unwatched = (namespace: string): Found['problems'][number] => ({
  outcome: 'failed',
  message: `namespace ${namespace}: the operator does not watch it; add it to --watch-namespaces of the operator (watchNamespaces of the Helm chart)`,
});

const lacking = (
  at: string,
  missing: readonly Permission[],
  where: 'own' | 'remote',
): Found['problems'] => {
  const names = [...new Set(missing.map(permissionText))];
  if (names.length === 0) return [];
  const message = missingPermissionsText(at, names, { where });
  return [{ outcome: 'failed', reason: 'HostRightsMissing', message }];
};

interface Operator {
  /** User of its ServiceAccount. */
  readonly user: string;
  /** Undefined if it watches all namespaces. */
  readonly scope: WatchScope | undefined;
}

async function operatorsIn(client: KubernetesClient): Promise<readonly Operator[]> {
  const { items } = await client.list(resources.Deployment, { labelSelector: OPERATOR });
  return items.map(operatorOf);
}

function operatorOf({ metadata, spec }: KubernetesObject): Operator {
  const { template } = spec as {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName?: string;
        readonly containers?: readonly { readonly args?: readonly string[] }[];
      };
    };
  };
  const { serviceAccountName = 'default', containers = [] } = template.spec;
  return {
    user: `system:serviceaccount:${metadata.namespace ?? ''}:${serviceAccountName}`,
    scope: scopeOf(containers.flatMap(({ args = [] }) => args)),
  };
}

/** Reads the flags that limit an operator to namespaces, from its arguments. */
function scopeOf(args: readonly string[]): WatchScope | undefined {
  const command = addWatchFlags(new Command())
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return watchScope(command.parse(args, { from: 'user' }).opts<WatchFlags>());
}

/** An operator that watches all namespaces needs its permissions in all of them. */
async function deniedTo(
  client: Pick<KubernetesClient, 'create'>,
  { user, scope }: Operator,
  namespace: string,
): Promise<readonly Permission[]> {
  const { needed, neededInNamespaces } = scopedPermissions(scope);
  return [
    ...(await denied(client, needed, { namespace: '', user })),
    ...(await denied(client, neededInNamespaces, { namespace, user })),
  ];
}

/** Reviews permissions in a namespace: those of a user, or those of the client. */
async function denied(
  client: Pick<KubernetesClient, 'create'>,
  needed: readonly Permission[],
  { namespace, user }: { readonly namespace: string; readonly user?: string },
): Promise<readonly Permission[]> {
  const kind = user === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const missing: Permission[] = [];
  for (const permission of needed) {
    const { verb, group, name } = permission;
    const [resource, subresource] = permission.resource.split('/');
    const resourceAttributes = { verb, group, resource, subresource, name, namespace };
    const answer = await client.create({
      apiVersion: apiVersionOf(resources[kind]),
      kind,
      metadata: { name: '' },
      spec: { resourceAttributes, ...(user !== undefined && { user }) },
    });
    const { allowed } = (answer['status'] ?? {}) as { readonly allowed?: boolean };
    if (allowed !== true) missing.push(permission);
  }
  return missing;
}
