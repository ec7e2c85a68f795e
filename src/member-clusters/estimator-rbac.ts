/**
 * RBAC objects of an estimator in a member cluster. Pure functions. A ClusterRole is the root object. Its
 * owner is the Namespace that `karmadactl join` creates, so `karmadactl unjoin` deletes it. It owns all other
 * objects, so one deletion removes everything. The ServiceAccount itself may delete the ClusterRole.
 */
import { instanceLabels } from '../api/labels.ts';
import { instanceName } from '../api/naming.ts';
import { sha256 } from '../kubernetes/objects/intent.ts';
import { ownerReferenceTo, type KubernetesObject } from '../kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../kubernetes/objects/resources.ts';

/** Karmada object that the RBAC objects belong to. Several control planes may have the same member cluster. */
export interface ControlPlaneRef {
  /** `metadata.name` and `metadata.uid` of the Karmada object */
  readonly name: string;
  readonly uid: string;
}

/** Returns the common name of all objects in the member cluster. */
export function rbacName({ name, uid }: ControlPlaneRef): string {
  return `${instanceName(name, 'scheduler-estimator')}-${sha256(uid).slice(0, 10)}`;
}

/** Type of the root object that owns all others. */
export const OWNER_TYPE: ResourceType = resources.ClusterRole;

const RBAC = 'rbac.authorization.k8s.io';

const labelsOf = ({ name }: ControlPlaneRef): Readonly<Record<string, string>> =>
  instanceLabels(name, 'karmada-scheduler-estimator');

const ownedBy = (owner: KubernetesObject): object => ({
  ownerReferences: [ownerReferenceTo(owner)],
});

/** Returns the ClusterRole: read access for the informers of the estimator 1.16 and 1.17, and its own deletion. */
export function rootRole(owner: ControlPlaneRef, namespace: KubernetesObject): KubernetesObject {
  const name = rbacName(owner);
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

/** Returns ServiceAccount, ClusterRoleBinding and token Secret in apply order. */
export function serviceAccountOf(
  owner: ControlPlaneRef,
  namespace: string,
  root: KubernetesObject,
): readonly KubernetesObject[] {
  const name = rbacName(owner);
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
