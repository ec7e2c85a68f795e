import { conditionOf } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';

/** Fingerprint of a set of Pods; changes when a Pod is added, removed, or changes its Ready condition. */
export const podsDigest = (pods: readonly Pod[]): string =>
  pods
    .map((pod) => `${pod.metadata.uid ?? ''} ${conditionOf(pod, 'Ready')?.status ?? ''}`)
    .sort()
    .join();
