import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { apply, getObject } from './cluster.ts';

const inOperator = ['-n', operatorNamespace];
const ofOperator = ['-l', `app.kubernetes.io/name=${release}`];

export interface Container {
  readonly args: readonly string[];
  readonly env?: readonly object[];
  readonly volumeMounts?: readonly object[];
  readonly image: string;
  readonly securityContext: object;
}

/** Pod spec of the operator Deployment. */
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly object[];
}

/** Stops the operator without a replacement, and waits until its Pods are gone. */
export async function stopOperator(cluster: Cluster): Promise<void> {
  await kubectl(cluster, ['scale', 'deployment', release, '--replicas=0', ...inOperator]);
  const gone = ['wait', '--for=delete', 'pod', ...ofOperator];
  await kubectl(cluster, [...gone, ...inOperator, '--timeout=60s']);
}

/** Restarts the operator with a rollout, and waits until that is complete. */
export async function restartOperator(cluster: Cluster): Promise<void> {
  await kubectl(cluster, ['rollout', 'restart', `deployment/${release}`, ...inOperator]);
  await untilRolledOut(cluster);
}

/** Deletes the Pods of the operator, and waits until others have replaced them and are ready. */
export async function replaceOperatorPods(cluster: Cluster): Promise<void> {
  await kubectl(cluster, ['delete', 'pods', ...ofOperator, ...inOperator]);
  await untilRolledOut(cluster);
}

async function untilRolledOut(cluster: Cluster): Promise<void> {
  const status = ['rollout', 'status', `deployment/${release}`, '--timeout=120s'];
  await kubectl(cluster, [...status, ...inOperator]);
}

/**
 * Starts the installed operator as a separate Pod instead of its Deployment.
 * @param name name of the Pod; an existing Pod with this name is deleted first
 * @param change changes the Pod spec of the Deployment
 */
export async function startOperatorPod(
  cluster: Cluster,
  name: string,
  change: (spec: PodSpec) => object,
): Promise<void> {
  const { spec } = await getObject<{ spec: { template: { spec: PodSpec } } }>(
    cluster,
    'deployment',
    release,
    operatorNamespace,
  );
  await stopOperatorPod(cluster, name);
  await stopOperator(cluster);
  await apply(cluster, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: operatorNamespace, labels: { app: name } },
    spec: change(spec.template.spec),
  });
}

export async function stopOperatorPod(cluster: Cluster, name: string): Promise<void> {
  await tryKubectl(cluster, ['delete', 'pod', name, ...inOperator, '--timeout=60s']);
}

/** Log lines of a container of this Pod. */
export async function operatorPodLog(
  cluster: Cluster,
  name: string,
  options: readonly string[],
): Promise<string[]> {
  return (await kubectl(cluster, ['logs', name, ...inOperator, ...options])).split('\n');
}
