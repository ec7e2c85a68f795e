/** Answers access reviews of a Karmada API from its RBAC objects, as kube-apiserver does for users outside of `system:masters`. */
import type { Rule } from '../../../src/controlplane/rbac-rules.ts';
import type { AccessReview } from '../../../src/features/identities/access-reviews.ts';
import { ruleAllows } from '../../../src/features/identities/rbac-evaluation.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Store } from '../api/store.ts';

const RBAC = 'rbac.authorization.k8s.io';

type Objects = Pick<Store, 'list'>;

/** The predefined role of kube-controller-manager allows more than its own role; of it, stubs need only that it exists. */
const PREDEFINED: Readonly<Partial<Record<string, readonly Rule[]>>> = {
  'system:kube-controller-manager': [
    { apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] },
    {
      apiGroups: ['', 'coordination.k8s.io'],
      resources: ['leases', 'secrets', 'serviceaccounts', 'serviceaccounts/token'],
      verbs: ['create', 'get', 'update', 'delete'],
    },
  ],
};

interface Binding extends KubernetesObject {
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

const isFor = (
  { subjects = [] }: Binding,
  { user, groups }: Pick<AccessReview, 'user' | 'groups'>,
): boolean =>
  subjects.some(({ kind, name }) =>
    kind === 'Group' ? groups.includes(name) : kind === 'User' && name === user,
  );

function rulesOf(
  store: Objects,
  { roleRef, metadata: { namespace = '' } }: Binding,
): readonly Rule[] {
  const { kind, name } = roleRef ?? {};
  const place = kind === 'Role' ? `${RBAC}/roles` : `${RBAC}/clusterroles`;
  const found = store
    .list(place)
    .find(
      ({ metadata }) =>
        metadata.name === name && (kind !== 'Role' || metadata.namespace === namespace),
    );
  return (found?.['rules'] ?? []) as readonly Rule[];
}

/** Whether the roles in a Karmada API allow what a review asks. */
export function isAllowed(store: Objects, review: AccessReview): boolean {
  const { user, resourceAttributes: { namespace } = {} } = review;
  const inNamespace = store
    .list(`${RBAC}/rolebindings`)
    .filter(({ metadata }) => namespace !== undefined && metadata.namespace === namespace);
  const bindings = [...store.list(`${RBAC}/clusterrolebindings`), ...inNamespace] as Binding[];
  const rules = [
    ...(PREDEFINED[user] ?? []),
    ...bindings.filter((one) => isFor(one, review)).flatMap((one) => rulesOf(store, one)),
  ];
  return rules.some((rule) => ruleAllows(rule, review));
}
