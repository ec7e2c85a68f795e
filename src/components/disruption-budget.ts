import type { PodDisruptionBudgetConfig } from '../api/settings.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Workload } from './workload.ts';

/**
 * Returns the PodDisruptionBudget of a workload, with the same name. As in the upstream operator, it has the labels of
 * the Pods, and selects Pods with these labels.
 */
export function disruptionBudget(
  workload: Workload,
  config: PodDisruptionBudgetConfig,
): KubernetesObject {
  const { minAvailable, maxUnavailable } = config;
  const { name, namespace } = workload.metadata;
  const { labels } = workload.spec.template.metadata;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, ...(namespace !== undefined && { namespace }), labels },
    spec: {
      ...(minAvailable !== undefined && { minAvailable }),
      ...(maxUnavailable !== undefined && { maxUnavailable }),
      selector: { matchLabels: labels },
    },
  };
}
