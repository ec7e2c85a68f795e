import { conditionOf, type KubernetesObject } from '../kubernetes/object.ts';

/** A text that changes when one of the pods comes, goes, or becomes ready or not. */
export const podsText = (pods: readonly KubernetesObject[]): string =>
  pods
    .map((pod) => `${pod.metadata.uid ?? ''} ${conditionOf(pod, 'Ready')?.status ?? ''}`)
    .sort()
    .join();
