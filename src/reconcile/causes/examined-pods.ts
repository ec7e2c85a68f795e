/** Selects the Pods that explain why a component is not ready: pure. */
import { COMPONENT } from '../../api/labels.ts';
import { conditionOf, isTerminating, type KubernetesObject } from '../../kubernetes/object.ts';
import { newestFirst } from './order.ts';

/** Pods of one component that are examined. A host cluster may report any number of them. */
const MOST = 2;

/** Returns the newest Pods of a component that are not ready, in the order in which they are examined: see `newestFirst`. */
export function examinedPods(
  pods: readonly KubernetesObject[],
  component: string | undefined,
): readonly KubernetesObject[] {
  return pods
    .filter((pod) => pod.metadata.labels?.[COMPONENT] === component && !isTerminating(pod))
    .filter((pod) => conditionOf(pod, 'Ready')?.status !== 'True')
    .toSorted(newestFirst)
    .slice(0, MOST);
}
