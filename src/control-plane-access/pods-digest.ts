import { conditionOf, type KubernetesObject } from '../kubernetes/object.ts';

/** Fingerprint of a set of Pods; changes when a Pod is added, removed, or changes its Ready condition. */
export const podsDigest = (pods: readonly KubernetesObject[]): string =>
  pods
    .map((pod) => `${pod.metadata.uid ?? ''} ${conditionOf(pod, 'Ready')?.status ?? ''}`)
    .sort()
    .join();
