import type { PodDisruptionBudgetConfig, StringMap } from '../api/settings.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Workload } from './workload.ts';

/**
 * The disruption budget of a workload: same name, over the pods its selector selects. It has no
 * owner reference; like everything else it goes when the instance no longer wants it.
 */
export function disruptionBudget(
  workload: Workload,
  labels: StringMap,
  config: PodDisruptionBudgetConfig,
): KubernetesObject {
  const { minAvailable, maxUnavailable } = config;
  const { name, namespace } = workload.metadata;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, ...(namespace !== undefined && { namespace }), labels },
    spec: {
      ...(minAvailable !== undefined && { minAvailable }),
      ...(maxUnavailable !== undefined && { maxUnavailable }),
      selector: { matchLabels: workload.spec.selector.matchLabels },
    },
  };
}
