/** Renders roles and bindings in the Karmada API. Their rules are in `rbac-rules.ts`. */
import type { StringMap } from '../api/settings.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { ownLabels, type ControlPlaneInput } from './input.ts';
import {
  CHANGE,
  IDENTITIES,
  METRICS_READER,
  READ,
  USER_RESOURCES,
  type Identity,
  type Rule,
} from './rbac-rules.ts';

const API_GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${API_GROUP}/v1`;

const SYSTEM_LABEL: StringMap = { 'karmada.io/system': 'true' };

/** Renders roles and bindings of the control plane, each role before its binding. */
export function rbac(input: ControlPlaneInput): readonly KubernetesObject[] {
  return [
    ...userRoles(input),
    ...IDENTITIES.flatMap((identity) => componentRoles(identity, input)),
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

function componentRoles(identity: Identity, input: ControlPlaneInput): readonly KubernetesObject[] {
  const user = `system:karmada:${identity.suffix}`;
  const builtIn = [
    ...(identity.builtIn ?? []),
    ...(identity.delegates ? ['system:auth-delegator'] : []),
  ];
  return [
    ...(identity.rules.length > 0
      ? [
          clusterRole(user, identity.rules, input),
          clusterRoleBinding(user, user, subject(user), input),
        ]
      : []),
    ...builtIn.map((role) =>
      clusterRoleBinding(`${user}:${role.replace(/^system:/, '')}`, role, subject(user), input),
    ),
    ...(identity.delegates ? [authenticationReader(user, input)] : []),
  ];
}

/** Lets a server read the client CA with which it authenticates proxied requests of the API server. */
function authenticationReader(user: string, input: ControlPlaneInput): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'RoleBinding',
    metadata: {
      name: `${user}:authentication-reader`,
      namespace: 'kube-system',
      labels: labels(input),
    },
    roleRef: {
      apiGroup: API_GROUP,
      kind: 'Role',
      name: 'extension-apiserver-authentication-reader',
    },
    subjects: [subject(user)],
  };
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
