/** Pure functions that detect and describe control planes without a Karmada object. */
import { isTerminating, nameOf, type KubernetesObject } from '../kubernetes/objects/object.ts';
import { INSTANCE } from '../api/labels.ts';

/** A control plane whose Karmada object is gone, for example because a user removed its finalizer. */
export interface Orphan {
  readonly namespace: string;
  /** Name of the missing Karmada object. */
  readonly name: string;
  /** URL of the API server of its host cluster; absent for the management cluster. */
  readonly server?: string;
  /** Deployments and StatefulSets of the control plane. */
  readonly workloads: readonly KubernetesObject[];
}

/**
 * Finds orphaned control planes by their workloads. Remaining Secrets and PVCs do not count, because the operator keeps
 * them on purpose when a Karmada is deleted.
 * @param workloads Deployments and StatefulSets of one cluster with the labels of the operator
 * @param keys `namespace/name` of all Karmada objects, including those that are terminating
 * @param server URL of the API server of a remote host cluster; absent for the management cluster
 */
export function orphansIn(
  workloads: readonly KubernetesObject[],
  keys: ReadonlySet<string>,
  server?: string,
): readonly Orphan[] {
  const found = new Map<string, KubernetesObject[]>();
  for (const workload of workloads) {
    const { namespace = '', labels = {} } = workload.metadata;
    const name = labels[INSTANCE];
    if (name === undefined || isTerminating(workload) || keys.has(`${namespace}/${name}`)) continue;
    const key = `${namespace}/${name}`;
    const own = found.get(key);
    if (own === undefined) found.set(key, [workload]);
    else own.push(workload);
  }
  return [...found].map(([key, own]) => {
    const [namespace = '', name = ''] = key.split('/');
    return { namespace, name, workloads: own, ...(server !== undefined && { server }) };
  });
}

/** Unique key of an orphan. */
export const orphanKey = ({ namespace, name, server = '' }: Orphan): string =>
  `${server} ${namespace}/${name}`;

/** Message for the log, Events and the CLI: `Karmada team/demo: object not found, …`. */
export function orphanText({ namespace, name, server, workloads }: Orphan): string {
  const where = server === undefined ? '' : ` on the host cluster ${server}`;
  const whose = server === undefined ? '' : ', unless another operator runs it';
  return `Karmada ${namespace}/${name}: object not found, but its control plane runs${where} (${workloadsText(workloads)}); the operator neither repairs nor deletes it${whose}; create the Karmada again with its former spec`;
}

const MAX_NAMED = 3;

function workloadsText(workloads: readonly KubernetesObject[]): string {
  const named = workloads.slice(0, MAX_NAMED).map(nameOf);
  return [...named, ...(workloads.length > MAX_NAMED ? ['…'] : [])].join(', ');
}
