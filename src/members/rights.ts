/**
 * What an estimator's account is and may do in its member: pure. One object is the root: the namespace
 * that joining made owns it, so that it goes with `karmadactl unjoin`, and it owns all others, so that
 * one deletion takes everything, which the account itself may do.
 */
import { instanceLabels } from '../api/labels.ts';
import { instanceName } from '../api/naming.ts';
import { sha256 } from '../kubernetes/intent.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { resources, type ResourceType } from '../kubernetes/resources.ts';

/** Whose account it is; two instances, of one host or of two, may have the same member. */
export interface RightsOwner {
  /** `metadata.name` and `metadata.uid` of the Karmada */
  readonly name: string;
  readonly uid: string;
}

/** Name of every object of an account. */
export function rightsName({ name, uid }: RightsOwner): string {
  return `${instanceName(name, 'scheduler-estimator')}-${sha256(uid).slice(0, 10)}`;
}

/** Type of the object that owns all others. */
export const ROOT: ResourceType = resources.ClusterRole;

const RBAC = 'rbac.authorization.k8s.io';

const labelsOf = ({ name }: RightsOwner): Readonly<Record<string, string>> =>
  instanceLabels(name, 'karmada-scheduler-estimator');

const ownedBy = ({ apiVersion, kind, metadata }: KubernetesObject): object => ({
  ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }],
});

/** What an estimator reads (its informers of release 1.16 and 1.17), and its own removal. */
export function rootRole(owner: RightsOwner, namespace: KubernetesObject): KubernetesObject {
  const name = rightsName(owner);
  const verbs = ['get', 'list', 'watch'];
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels: labelsOf(owner), ...ownedBy(namespace) },
    rules: [
      { apiGroups: [''], resources: ['nodes', 'pods', 'resourcequotas'], verbs },
      { apiGroups: ['apps'], resources: ['deployments', 'replicasets'], verbs },
      { apiGroups: [RBAC], resources: ['clusterroles'], resourceNames: [name], verbs: ['delete'] },
    ],
  };
}

/** The account, its binding and its token, in the order in which they are made. */
export function accountOf(
  owner: RightsOwner,
  namespace: string,
  root: KubernetesObject,
): readonly KubernetesObject[] {
  const name = rightsName(owner);
  const labels = labelsOf(owner);
  const owned = ownedBy(root);
  return [
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace, labels, ...owned },
      automountServiceAccountToken: false,
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name, labels, ...owned },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        namespace,
        labels,
        annotations: { 'kubernetes.io/service-account.name': name },
        ...owned,
      },
      type: 'kubernetes.io/service-account-token',
    },
  ];
}
