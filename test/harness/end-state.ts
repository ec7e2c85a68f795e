import { MANAGED_BY, MANAGER } from '../../src/api/labels.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import type { EndState } from './compare-states.ts';
import { openControlPlane } from './control-plane.ts';
import { normalised } from './normalize-objects.ts';
import type { InstalledObjects } from './owned-state.ts';

/** Kinds that the operator writes in a host cluster, as plural names. */
export const HOST_KINDS = [
  'karmadas',
  'deployments',
  'statefulsets',
  'services',
  'secrets',
  'poddisruptionbudgets',
  'networkpolicies',
  'persistentvolumeclaims',
  'configmaps',
  'serviceaccounts',
  'roles',
  'rolebindings',
];
/** Kinds that the operator writes in a control plane. */
export const INSIDE_KINDS = [
  'namespaces',
  'customresourcedefinitions',
  'services',
  'clusterroles',
  'clusterrolebindings',
  'roles',
  'rolebindings',
  'configmaps',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'apiservices',
  'flowschemas',
];

const itemsOf = (json: string): KubernetesObject[] =>
  (JSON.parse(json) as { items: KubernetesObject[] }).items;

/**
 * All objects of an installation on the host cluster and in the control plane, with their managed fields. In the control
 * plane only objects of the operator count, because Kubernetes creates the others asynchronously.
 */
export async function installedObjects(
  cluster: Cluster,
  name: string,
  namespace: string,
): Promise<InstalledObjects> {
  const options = ['-o', 'json', '--show-managed-fields'];
  const host = await kubectl(cluster, ['get', HOST_KINDS.join(), '-n', namespace, ...options]);
  const plane = await openControlPlane(cluster, name, namespace);
  const ours = ['-l', `${MANAGED_BY}=${MANAGER}`];
  const inside = await plane.kubectl(['get', INSIDE_KINDS.join(), '-A', ...ours, ...options]);
  return { host: itemsOf(host), inside: itemsOf(inside) };
}

/** These objects, normalized to compare two installations. */
export async function endStateOf(
  cluster: Cluster,
  name: string,
  namespace: string,
): Promise<EndState> {
  const { host, inside } = await installedObjects(cluster, name, namespace);
  return { host: normalised(host, namespace), inside: normalised(inside, namespace) };
}
