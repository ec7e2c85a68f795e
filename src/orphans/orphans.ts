/** Control planes that run without a Karmada: pure. */
import { isEnding, nameOf, type KubernetesObject } from '../kubernetes/object.ts';
import { INSTANCE } from '../api/labels.ts';

/** A control plane of which the Karmada is gone, as after its finalizer was removed by hand. */
export interface Orphan {
  readonly namespace: string;
  /** Name of the Karmada that is not there. */
  readonly name: string;
  /** URL of the API server of its host; absent for the operator's own cluster. */
  readonly server?: string;
  /** Its Deployments and StatefulSets. */
  readonly workloads: readonly KubernetesObject[];
}

/**
 * Control planes among workloads that the operator made. Secrets and claims alone are none: they are kept on purpose when a
 * Karmada is deleted.
 * @param workloads Deployments and StatefulSets of one cluster with the operator's labels
 * @param keys of all Karmadas (`namespace/name`), those that are being deleted among them
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
    if (name === undefined || isEnding(workload) || keys.has(`${namespace}/${name}`)) continue;
    const key = `${namespace}/${name}`;
    found.set(key, [...(found.get(key) ?? []), workload]);
  }
  return [...found].map(([key, own]) => {
    const [namespace = '', name = ''] = key.split('/');
    return { namespace, name, workloads: own, ...(server !== undefined && { server }) };
  });
}

/** The same for the same orphan. */
export const orphanKey = ({ namespace, name, server = '' }: Orphan): string =>
  `${server} ${namespace}/${name}`;

/** `team/demo: …`, for messages. */
export function orphanText({ namespace, name, server, workloads }: Orphan): string {
  const where = server === undefined ? '' : ` on the host cluster ${server}`;
  const whose = server === undefined ? '' : ', unless another operator runs it';
  return `Karmada ${namespace}/${name}: its control plane runs${where} (${workloadsText(workloads)}), but there is no such Karmada; the operator neither repairs nor deletes it${whose}; create the Karmada again with its former spec`;
}

const MOST_NAMED = 3;

function workloadsText(workloads: readonly KubernetesObject[]): string {
  const named = workloads.slice(0, MOST_NAMED).map(nameOf);
  return [...named, ...(workloads.length > MOST_NAMED ? ['…'] : [])].join(', ');
}
