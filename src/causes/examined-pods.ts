/** Selects the Pods that explain why a component is not ready: pure. */
import { COMPONENT } from '../api/labels.ts';
import { conditionOf, isTerminating, type KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import { newestFirst } from './order.ts';

/** Pods of one component that are examined. A host cluster may report any number of them. */
const MAX_PODS = 2;

const componentOf = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.labels?.[COMPONENT];

/** Returns the newest Pods of a component that are not ready, in the order in which they are examined: see `newestFirst`. */
export const examinedPods = (
  pods: readonly Pod[],
  component: string | undefined,
): readonly KubernetesObject[] =>
  newestUnready(pods.filter((pod) => componentOf(pod) === component));

/** Returns the Pods that are examined for the components of these workloads. Examines each Pod once, however many workloads there are. */
export function examinedPodsOf(
  workloads: readonly KubernetesObject[],
  pods: readonly Pod[],
): readonly KubernetesObject[] {
  const byComponent = Map.groupBy(pods, componentOf);
  const components = [...new Set(workloads.map(componentOf))];
  return components.flatMap((component) => newestUnready(byComponent.get(component) ?? []));
}

const newestUnready = (pods: readonly Pod[]): readonly KubernetesObject[] =>
  pods
    .filter((pod) => !isTerminating(pod) && conditionOf(pod, 'Ready')?.status !== 'True')
    .toSorted(newestFirst)
    .slice(0, MAX_PODS);
