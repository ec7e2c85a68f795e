/** Which workloads have their pods replaced: reads and dry runs. */
import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGER } from '../api/karmada.ts';
import { isWorkload, type Workload } from '../components/workload.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { isStatus } from '../kubernetes/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { resources } from '../kubernetes/resources.ts';
import { nameOf } from '../reconcile/objects.ts';
import { isRolledOut } from '../reconcile/rollout.ts';
import type { HostSnapshot } from '../reconcile/snapshot.ts';
import type { Forecast } from './forecast.ts';

/** Names of workloads, each as `kind namespace/name`, whose pods are not those that run now. */
export async function restartedBy(
  client: KubernetesClient,
  { rounds }: Forecast,
  { objects }: HostSnapshot,
): Promise<ReadonlySet<string>> {
  const present = new Map(objects.map((object) => [nameOf(object), object]));
  const found = await Promise.all(
    rounds.flat().map(async ({ what, object }) => {
      const before = present.get(nameOf(object));
      if (what === 'remove' || before === undefined || !isWorkload(before)) return [];
      const options = { fieldManager: FIELD_MANAGER, force: true, dryRun: true };
      const after = (await client.apply(object, options)) as Workload;
      const same = isDeepStrictEqual(before.spec.template, after.spec.template);
      return same || (await goesBack(client, before, after)) ? [] : [nameOf(object)];
    }),
  );
  return new Set(found.flat());
}

/**
 * Whether a rollout that has not come to its end is taken back: the pods from before it run still, and stay. Without the
 * right to read ReplicaSets nobody knows, and pods that may restart are told as such.
 */
async function goesBack(
  client: KubernetesClient,
  before: Workload,
  after: Workload,
): Promise<boolean> {
  if (before.kind !== 'Deployment' || isRolledOut(before)) return false;
  const labelSelector = Object.entries(before.spec.selector.matchLabels)
    .map(([label, value]) => `${label}=${value}`)
    .join();
  const { namespace = '' } = before.metadata;
  try {
    const { items } = await client.list(resources.ReplicaSet, { namespace, labelSelector });
    return items.some((replicaSet) => hasPodsOf(replicaSet, after));
  } catch (error) {
    if (isStatus(error, 403)) return false;
    throw error;
  }
}

/** A label that the Deployment controller adds to the template. */
const HASH = 'pod-template-hash';

/** Whether a ReplicaSet has as many ready pods of the Deployment's template as that wants. */
export function hasPodsOf(replicaSet: KubernetesObject, deployment: Workload): boolean {
  const { ownerReferences = [] } = replicaSet.metadata;
  if (ownerReferences.every(({ uid }) => uid !== deployment.metadata.uid)) return false;
  const { template } = (replicaSet as Workload).spec;
  const labels = Object.entries(template.metadata.labels).filter(([label]) => label !== HASH);
  const metadata = { ...template.metadata, labels: Object.fromEntries(labels) };
  const { readyReplicas = 0 } = (replicaSet['status'] ?? {}) as { readyReplicas?: number };
  const { replicas = 1 } = deployment.spec as { replicas?: number };
  return (
    isDeepStrictEqual({ ...template, metadata }, deployment.spec.template) &&
    readyReplicas >= replicas
  );
}
