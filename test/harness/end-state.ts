import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { kubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { openControlPlane } from './control-plane.ts';
import { normalised } from './normalize-objects.ts';

const hostKinds = [
  ...['karmadas', 'deployments', 'statefulsets', 'services', 'secrets', 'poddisruptionbudgets'],
  ...['persistentvolumeclaims', 'configmaps', 'serviceaccounts', 'roles', 'rolebindings'],
];
const insideKinds = [
  ...['namespaces', 'customresourcedefinitions', 'services', 'clusterroles', 'clusterrolebindings'],
  ...['rolebindings', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  'apiservices',
];

const itemsOf = (json: string): KubernetesObject[] =>
  (JSON.parse(json) as { items: KubernetesObject[] }).items;

/**
 * All objects of an installation on the host cluster and in the control plane, normalized to compare two
 * installations. In the control plane only objects of the operator count, because Kubernetes creates the others
 * asynchronously.
 */
export async function endStateOf(
  cluster: Cluster,
  name: string,
  namespace: string,
): Promise<{ readonly host: object; readonly inside: object }> {
  const host = itemsOf(
    await kubectl(cluster, ['get', hostKinds.join(), '-n', namespace, '-o', 'json']),
  );
  const plane = await openControlPlane(cluster, name, namespace);
  const inside = itemsOf(
    await plane.kubectl([
      ...['get', insideKinds.join(), '-A', '-o', 'json'],
      ...['-l', 'app.kubernetes.io/managed-by=karmada-operator'],
    ]),
  );
  return { host: normalised(host, namespace), inside: normalised(inside, namespace) };
}
