import type { PodDisruptionBudgetConfig, StringMap } from '../api/settings.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Workload } from './workload.ts';

/**
 * Returns the PodDisruptionBudget of a workload, with the same name and selector. It has no owner
 * reference: the operator prunes it when it is no longer a desired object.
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
