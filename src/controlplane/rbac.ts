/** Renders roles and bindings in the Karmada API. Their rules are in `rbac-rules.ts` and `user-rules.ts`. */
import { ifEnabled } from '../api/addon.ts';
import { COMPONENTS_GROUP } from '../api/identities.ts';
import type { StringMap } from '../api/settings.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { installedIdentities, roleName } from './component-roles.ts';
import { ownLabels, SYSTEM_NAMESPACE, type ControlPlaneInput } from './input.ts';
import {
  GROUP_GRANTS,
  KUBE_SYSTEM,
  METRICS_READER,
  READ,
  type Grant,
  type Identity,
  type Rule,
} from './rbac-rules.ts';
import { CHANGE, USER_RESOURCES } from './user-rules.ts';

const API_GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${API_GROUP}/v1`;

const SYSTEM_LABEL: StringMap = { 'karmada.io/system': 'true' };

/**
 * Renders roles and bindings of the control plane, each role before its binding. Those in its system namespace are rendered
 * with that Namespace.
 */
export function rbac(input: ControlPlaneInput): readonly KubernetesObject[] {
  return [
    ...userRoles(input),
    ...groupRoles(input),
    ...installedIdentities(input.spec).flatMap((identity) => componentRoles(identity, input)),
    ...namespaceRoles(KUBE_SYSTEM, input),
    ...(input.spec.monitoring?.clientCertificate === true
      ? componentRoles(METRICS_READER, input)
      : []),
  ];
}

const HEALTH = 'system:karmada:health';

/**
 * Renders the role for health probes of the kubelet, which is unauthenticated here. Kubernetes has a
 * similar default role, but a new API server creates the default roles as its last start step.
 */
export function healthRoles(input: ControlPlaneInput): readonly KubernetesObject[] {
  const rule = { nonResourceURLs: ['/livez', '/readyz'], verbs: ['get'] };
  const everybody = { apiGroup: API_GROUP, kind: 'Group', name: 'system:unauthenticated' };
  return [clusterRole(HEALTH, [rule], input), clusterRoleBinding(HEALTH, HEALTH, everybody, input)];
}

function userRoles(input: ControlPlaneInput): readonly KubernetesObject[] {
  const proxy = {
    apiGroups: ['cluster.karmada.io'],
    resources: ['clusters/proxy'],
    verbs: ['*'],
  };
  const admin = subject('system:admin');
  return [
    clusterRole('cluster-proxy-admin', [proxy], input),
    clusterRoleBinding('cluster-proxy-admin', 'cluster-proxy-admin', admin, input),
    aggregatedRole('karmada-view', 'view', READ, input),
    aggregatedRole('karmada-edit', 'edit', CHANGE, input),
  ];
}

/** Renders a ClusterRole that Kubernetes aggregates into its default role (`view`, or `edit` and `admin`). */
function aggregatedRole(
  name: string,
  into: string,
  verbs: readonly string[],
  input: ControlPlaneInput,
): KubernetesObject {
  const rules = USER_RESOURCES.map(([group, resources]) => ({
    apiGroups: [group],
    resources,
    verbs,
  }));
  const role = clusterRole(name, rules, input);
  return {
    ...role,
    metadata: {
      ...role.metadata,
      labels: {
        ...role.metadata.labels,
        'kubernetes.io/bootstrapping': 'rbac-defaults',
        [`rbac.authorization.k8s.io/aggregate-to-${into}`]: 'true',
      },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
  };
}

/** Renders the ClusterRole of a component, and its binding to the user of its client certificate. */
function componentRoles(identity: Identity, input: ControlPlaneInput): readonly KubernetesObject[] {
  const rules = rulesIn(undefined, identity, input);
  const name = roleName(identity.suffix);
  return rules.length === 0
    ? []
    : [
        clusterRole(name, rules, input),
        clusterRoleBinding(name, name, subject(identity.user), input),
      ];
}

/** Renders the role that all components have, bound to their group. */
function groupRoles(input: ControlPlaneInput): readonly KubernetesObject[] {
  const rules = GROUP_GRANTS.map(({ rule }) => rule);
  const group = { apiGroup: API_GROUP, kind: 'Group', name: COMPONENTS_GROUP };
  return [
    clusterRole(COMPONENTS_GROUP, rules, input),
    clusterRoleBinding(COMPONENTS_GROUP, COMPONENTS_GROUP, group, input),
  ];
}

/** Renders the Roles of the components in a namespace of the control plane, and their bindings. */
export function namespaceRoles(
  namespace: string,
  input: ControlPlaneInput,
): readonly KubernetesObject[] {
  return installedIdentities(input.spec).flatMap((identity) => {
    const rules = rulesIn(namespace, identity, input);
    const name = roleName(identity.suffix);
    const metadata = { name, namespace, labels: labels(input) };
    if (rules.length === 0) return [];
    return [
      { apiVersion: API_VERSION, kind: 'Role', metadata, rules },
      {
        apiVersion: API_VERSION,
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: API_GROUP, kind: 'Role', name },
        subjects: [subject(identity.user)],
      },
    ];
  });
}

/** Rules of a component in a namespace; those in all namespaces if it is undefined. */
const rulesIn = (
  namespace: string | undefined,
  identity: Identity,
  input: ControlPlaneInput,
): readonly Rule[] =>
  grantsOf(identity, input)
    .filter((grant) => grant.namespace === namespace)
    .map(({ rule }) => rule);

const LEASE_NAMESPACE_FLAG = 'leader-elect-resource-namespace';

/** Rules of a component in this control plane. A user may choose another namespace for its Leases. */
export function grantsOf(
  { suffix, grants }: Identity,
  { spec }: Pick<ControlPlaneInput, 'spec'>,
): readonly Grant[] {
  const { karmadaScheduler, karmadaDescheduler } = spec.components;
  const flags: Readonly<Partial<Record<string, StringMap | undefined>>> = {
    scheduler: karmadaScheduler.extraArgs,
    descheduler: ifEnabled(karmadaDescheduler)?.extraArgs,
  };
  if (flags[suffix]?.[LEASE_NAMESPACE_FLAG] === undefined) return grants;
  return grants.map(({ namespace, ...grant }) =>
    namespace === undefined || namespace === SYSTEM_NAMESPACE ? grant : { ...grant, namespace },
  );
}

function clusterRole(
  name: string,
  rules: readonly Rule[],
  input: ControlPlaneInput,
): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRole',
    metadata: { name, labels: labels(input) },
    rules,
  };
}

function clusterRoleBinding(
  name: string,
  role: string,
  to: object,
  input: ControlPlaneInput,
): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: labels(input) },
    roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name: role },
    subjects: [to],
  };
}

function subject(user: string): object {
  return { apiGroup: API_GROUP, kind: 'User', name: user };
}

function labels(input: ControlPlaneInput): StringMap {
  return { ...SYSTEM_LABEL, ...ownLabels(input, 'karmada') };
}
