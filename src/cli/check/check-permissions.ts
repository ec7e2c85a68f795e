/** RBAC permissions of the operator. */
import type { SubjectAccessReview } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import { apiVersionOf, resources } from '../../kubernetes/objects/resources.ts';
import { missingPermissionsText } from '../../permissions/missing-permissions-text.ts';
import { permissionsOf } from '../../permissions/needed.ts';
import { permissionText, type Permission } from '../../permissions/permission.ts';
import { scopedPermissions } from '../../permissions/watch-scope.ts';
import { findOperators, type Operator } from './operators.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';

type Problems = Found['problems'];

/** Permissions that the operator lacks in the host cluster. */
export async function permissions({ tools, client, karmada, isRemote }: Subject): Promise<Found> {
  const { namespace = '' } = karmada.metadata;
  const ok = 'the operator has all permissions';
  if (isRemote) {
    const missing = await denied(client, permissionsOf('remote'), { namespace });
    return { ok, problems: lacking('the remote host cluster', missing, 'remote') };
  }
  const found = await findOperators(tools.client);
  const unreadable = found.flatMap((one) => ('error' in one ? unknown(one.name, one.error) : []));
  const operators = found.filter((one) => 'user' in one);
  const watching = operators.filter(({ scope }) => scope?.namespaces.includes(namespace) ?? true);
  const problems = await Promise.all(
    watching.map((operator) => reviewed(tools.client, operator, namespace)),
  );
  const isUnwatched = operators.length > 0 && watching.length === 0;
  return {
    ok,
    problems: [
      ...unreadable,
      ...problems.flat(),
      ...(isUnwatched ? unwatched(namespace, operators) : []),
    ],
  };
}

function unwatched(namespace: string, operators: readonly Operator[]): Problems {
  const names = operators.map(({ name }) => name).join(', ');
  const message = `namespace ${namespace}: the operator does not watch it (${names}); add it to --watch-namespaces of the operator (watchNamespaces of the Helm chart)`;
  return [{ outcome: 'failed', message }];
}

const unknown = (name: string, error: string): Problems => [
  { outcome: 'skipped', message: `${name}: ${error}` },
];

function lacking(at: string, missing: readonly Permission[], where: 'own' | 'remote'): Problems {
  const names = [...new Set(missing.map(permissionText))];
  if (names.length === 0) return [];
  const message = missingPermissionsText(at, names, { where });
  return [{ outcome: 'failed', reason: 'HostRightsMissing', message }];
}

/** Problems of one operator. An error concerns only this one. */
async function reviewed(
  client: Pick<KubernetesClient, 'create'>,
  operator: Operator,
  namespace: string,
): Promise<Problems> {
  try {
    return lacking(operator.name, await deniedTo(client, operator, namespace), 'own');
  } catch (error) {
    return unknown(operator.name, errorText(error));
  }
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
    const answer = await client.create<SubjectAccessReview>({
      apiVersion: apiVersionOf(resources[kind]),
      kind,
      metadata: { name: '' },
      spec: { resourceAttributes, ...(user !== undefined && { user }) },
    });
    const { allowed } = answer.status ?? {};
    if (allowed !== true) missing.push(permission);
  }
  return missing;
}
