/** Names what another client has taken from the roles of components in the Karmada API: pure. */
import { isDeepStrictEqual } from 'node:util';
import { listed } from '../../api/listed.ts';
import { liveKey } from '../../actions/execution-result.ts';
import { COMPONENTS_GROUP } from '../../api/identities.ts';
import { roleName } from '../../controlplane/component-roles.ts';
import { rbac } from '../../controlplane/rbac.ts';
import { namespaces } from '../../controlplane/namespaces.ts';
import { IDENTITIES, type Rule } from '../../controlplane/rbac-rules.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { needsApply } from '../../kubernetes/objects/compare.ts';
import { intentHash } from '../../kubernetes/objects/intent.ts';
import { identity, nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { permissionText, reviewsOfGrant } from './access-reviews.ts';
import { ruleAllows } from './rbac-evaluation.ts';

type Seen = Pick<Snapshot, 'karmada' | 'spec' | 'controlPlane' | 'installed'>;

/** Names of the roles of components, and of their bindings. */
const ROLES: ReadonlySet<string> = new Set([
  COMPONENTS_GROUP,
  ...IDENTITIES.map(({ suffix }) => roleName(suffix)),
]);

const KINDS: ReadonlySet<string> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
]);

/** Returns the roles and bindings of components as the operator applies them. */
function desiredRoles({
  karmada,
  spec,
}: Pick<Seen, 'karmada' | 'spec'>): readonly KubernetesObject[] {
  const { name, namespace = '' } = karmada.metadata;
  const input = { name, namespace, spec, caBundle: '' };
  return [...rbac(input), ...namespaces(input)].filter(
    ({ kind, metadata }) => KINDS.has(kind) && ROLES.has(metadata.name),
  );
}

/**
 * Returns one text for each role or binding that lacks something. A role that an earlier version of the operator has applied lacks
 * nothing, and neither does one that has never existed.
 */
export function lackedPermissions(seen: Seen): readonly string[] {
  const { state, objects } = seen.controlPlane;
  if (state !== 'ready') return [];
  const found = new Map(objects.map((object) => [identity(object), object]));
  return desiredRoles(seen).flatMap((desired) => {
    const live = found.get(identity(desired));
    if (live !== undefined) return lackOf(desired, live) ?? [];
    return hasExisted(seen, desired) ? `${nameOf(desired)} does not exist` : [];
  });
}

/**
 * Whether the operator has applied all roles and bindings of components, whatever others have changed in them since. Before, for example
 * after a restore of older data, an access review would only show that it has not.
 */
export function areRolesApplied(seen: Seen): boolean {
  const found = new Map(seen.controlPlane.objects.map((object) => [identity(object), object]));
  return desiredRoles(seen).every((desired) => {
    const live = found.get(identity(desired));
    return live === undefined
      ? hasExisted(seen, desired)
      : !needsApply(live, desired, intentHash(desired)).intentChanged;
  });
}

const hasExisted = ({ installed }: Pick<Seen, 'installed'>, desired: KubernetesObject): boolean =>
  installed?.has(liveKey('controlPlane', identity(desired))) === true;

const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textsOf = (value: unknown): readonly string[] =>
  itemsOf(value).filter((one) => typeof one === 'string');

/** The rules of a role. */
const rulesOf = (role: KubernetesObject): readonly Rule[] =>
  itemsOf(role['rules'])
    .map(fieldsOf)
    .map(({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }) => {
      const names = textsOf(resourceNames);
      return {
        apiGroups: textsOf(apiGroups),
        resources: textsOf(resources),
        ...(names.length > 0 && { resourceNames: names }),
        nonResourceURLs: textsOf(nonResourceURLs),
        verbs: textsOf(verbs),
      };
    });

function lackOf(desired: KubernetesObject, live: KubernetesObject): string | undefined {
  if (['rules', 'subjects', 'roleRef'].every((key) => isDeepStrictEqual(live[key], desired[key])))
    return undefined;
  if (needsApply(live, desired, intentHash(desired)).intentChanged) return undefined;
  if (desired['rules'] === undefined) return `${nameOf(desired)} does not name its user and role`;
  const asked = rulesOf(desired).flatMap((rule) => reviewsOfGrant({ rule, source: '' }));
  const lacked = asked.filter((one) => !rulesOf(live).some((rule) => ruleAllows(rule, one)));
  if (lacked.length === 0) return undefined;
  return `${nameOf(desired)} lacks ${listed(lacked.map(permissionText)).join(', ')}`;
}
