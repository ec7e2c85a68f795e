/** RBAC permissions and their evaluation against rules (pure functions). */

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'update' | 'delete';

/** Permission for one verb on one resource. */
export interface Permission {
  readonly verb: Verb;
  /** API group, empty for core. */
  readonly group: string;
  /** Plural name, optionally with a subresource, such as `pods/portforward`. */
  readonly resource: string;
  /** The only object that needs the permission. */
  readonly name?: string;
}

/** Resource rule as in SelfSubjectRulesReview (`status.resourceRules[]` of authorization.k8s.io/v1) and in roles. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/**
 * Formats a permission for messages, such as `patch persistentvolumeclaims` or
 * `get customresourcedefinitions.apiextensions.k8s.io karmadas.operator.karmada.io`.
 */
export function permissionText({ verb, group, resource, name }: Permission): string {
  const [kind = '', subresource] = resource.split('/');
  const full = `${kind}${group && `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${verb} ${full}${name === undefined ? '' : ` ${name}`}`;
}

/** Whether a list of a rule covers a value; `*` covers all. */
export const hasValue = (values: readonly string[] | undefined, value: string): boolean =>
  values?.some((one) => one === '*' || one === value) ?? false;

/** Whether a rule covers a resource. `*` covers all resources and subresources; a star with a subresource covers that of all resources. */
function hasResource(resources: readonly string[] | undefined, resource: string): boolean {
  const [, subresource] = resource.split('/');
  const ofAll = subresource === undefined ? resource : `*/${subresource}`;
  return hasValue(resources, resource) || hasValue(resources, ofAll);
}

/** A permission with any verb. */
type Asked = Omit<Permission, 'verb'> & { readonly verb: string };

/** Whether one of the rules grants the permission (https://kubernetes.io/docs/reference/access-authn-authz/rbac/). */
export const isGranted = (
  { verb, group, resource, name }: Asked,
  rules: readonly Rule[],
): boolean =>
  rules.some(
    ({ verbs, apiGroups, resources, resourceNames = [] }) =>
      hasValue(verbs, verb) &&
      hasValue(apiGroups, group) &&
      hasResource(resources, resource) &&
      (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))),
  );

/** Returns the number of rules together with that of their values. */
export const valuesIn = (rules: readonly Rule[]): number =>
  rules.reduce(
    (sum, { verbs, apiGroups, resources, resourceNames }) =>
      [verbs, apiGroups, resources, resourceNames].reduce(
        (values, list) => values + (list?.length ?? 0),
        sum + 1,
      ),
    0,
  );
