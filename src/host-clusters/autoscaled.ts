/** Detects Deployments that an autoscaler scales, for caches without managed fields. Pure functions. */
import { isObject } from '../kubernetes/objects/compare.ts';
import type { KubernetesObject, ManagedFieldsEntry } from '../kubernetes/objects/object.ts';

/** Field of a cached Deployment with the field manager that scales it. */
const SCALED_BY = 'scaledBy';

/**
 * Adds the manager that set `spec.replicas` through the scale subresource, as autoscalers do, to a cached Deployment.
 * Ignores kubectl, because `kubectl scale` uses the same subresource.
 */
export function markAutoscaled<T extends KubernetesObject>(object: T): T {
  const entries = object.metadata.managedFields ?? [];
  const scaler = entries.find(
    ({ manager = '', subresource, fieldsV1 }) =>
      subresource === 'scale' && !manager.startsWith('kubectl') && setsReplicas(fieldsV1),
  );
  return scaler === undefined ? object : { ...object, [SCALED_BY]: scaler.manager ?? '' };
}

/** Returns whether `markAutoscaled` has found an autoscaler. */
export const isAutoscaled = (object: KubernetesObject): boolean => object[SCALED_BY] !== undefined;

function setsReplicas(fields: ManagedFieldsEntry['fieldsV1']): boolean {
  const spec = fields?.['f:spec'];
  return isObject(spec) && 'f:replicas' in spec;
}
