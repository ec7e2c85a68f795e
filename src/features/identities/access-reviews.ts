/** Access reviews that show whether the user of a component may do what its rules say: pure. */
import { COMPONENTS_GROUP } from '../../api/identities.ts';
import type { ControlPlaneInput } from '../../controlplane/input.ts';
import {
  GROUP_GRANTS,
  KUBE_SYSTEM,
  type Grant,
  type Identity,
} from '../../controlplane/rbac-rules.ts';
import { grantsOf } from '../../controlplane/rbac.ts';

interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface NonResourceAttributes {
  readonly path: string;
  readonly verb: string;
}

/** Spec of a SubjectAccessReview. */
export interface AccessReview {
  readonly user: string;
  readonly groups: readonly string[];
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

const inKubeSystem = (apiGroup: string, resource: string, verbs: readonly string[]): Grant => ({
  rule: { apiGroups: [apiGroup], resources: [resource], verbs },
  namespace: KUBE_SYSTEM,
  source: 'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go (Kubernetes)',
});

/** Some rules of the predefined role `system:kube-controller-manager`, which users may have changed. */
const KUBE_CONTROLLER_MANAGER: readonly Grant[] = [
  inKubeSystem('coordination.k8s.io', 'leases', ['create', 'get', 'update']),
  inKubeSystem('', 'serviceaccounts', ['create', 'get', 'update']),
  inKubeSystem('', 'serviceaccounts/token', ['create']),
  inKubeSystem('', 'secrets', ['create', 'get', 'update', 'delete']),
  {
    rule: { apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] },
    source: 'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go (Kubernetes)',
  },
];

const predefined = ({ suffix }: Identity): readonly Grant[] =>
  suffix === 'kube-controller-manager' ? KUBE_CONTROLLER_MANAGER : [];

/** Groups of a component that has left `system:masters`. */
const GROUPS: readonly string[] = [COMPONENTS_GROUP, 'system:authenticated'];

/**
 * Returns a review for each permission of a component, those of the group of all components included. All of them must be
 * allowed before its certificate may leave `system:masters`.
 */
export function reviewsOf(
  identity: Identity,
  input: Pick<ControlPlaneInput, 'spec'>,
): readonly AccessReview[] {
  const { user } = identity;
  const grants = [...grantsOf(identity, input), ...predefined(identity), ...GROUP_GRANTS];
  return grants.flatMap((grant) =>
    reviewsOfGrant(grant).map((attributes) => ({ user, groups: GROUPS, ...attributes })),
  );
}

type Attributes = Pick<AccessReview, 'resourceAttributes' | 'nonResourceAttributes'>;

/** Returns what a rule allows, one permission each. */
export const reviewsOfGrant = (grant: Grant): readonly Attributes[] => [
  ...resourceReviews(grant),
  ...pathReviews(grant),
];

function resourceReviews({ rule, namespace }: Grant): readonly Attributes[] {
  const { apiGroups = [], resources = [], resourceNames, verbs } = rule;
  const where = namespace === undefined ? {} : { namespace };
  const names = resourceNames?.map((name) => ({ name })) ?? [{}];
  return apiGroups.flatMap((group) =>
    resources.flatMap((one) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({
          resourceAttributes: { group, ...resourceOf(one), verb, ...where, ...name },
        })),
      ),
    ),
  );
}

function resourceOf(text: string): Pick<ResourceAttributes, 'resource' | 'subresource'> {
  const [resource = '', subresource] = text.split('/');
  return subresource === undefined ? { resource } : { resource, subresource };
}

const pathReviews = ({ rule: { nonResourceURLs = [], verbs } }: Grant): readonly Attributes[] =>
  nonResourceURLs.flatMap((path) =>
    verbs.map((verb) => ({ nonResourceAttributes: { path, verb } })),
  );

/** Names the permission of a review, such as `patch resourcebindings/status.work.karmada.io`. */
export function permissionText({ resourceAttributes, nonResourceAttributes }: Attributes): string {
  if (resourceAttributes === undefined) {
    const { verb = '', path = '' } = nonResourceAttributes ?? {};
    return `${verb} ${path}`;
  }
  const { group, resource, subresource, verb, namespace, name } = resourceAttributes;
  const sub = subresource === undefined ? '' : `/${subresource}`;
  const of = group === '' ? '' : `.${group}`;
  const which = name === undefined ? '' : ` ${name}`;
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${verb} ${resource}${sub}${of}${which}${where}`;
}
