/** Deployments whose number of pods an autoscaler decides: pure. */
import { isObject } from '../kubernetes/compare.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { wanted, type Desired, type DesiredObject } from './desired.ts';
import { byIdentity } from './objects.ts';
import type { Snapshot } from './snapshot.ts';

interface FieldsEntry {
  readonly manager?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** Field of a cached Deployment, which has no managed fields, with the manager that scales it. */
const SCALED_BY = 'scaledBy';

/**
 * Notes in a Deployment for the cache who set its replicas by the scale subresource, as autoscalers do. Somebody with
 * kubectl does so too, and is no autoscaler.
 */
export function noteAutoscaler(object: KubernetesObject): KubernetesObject {
  const entries = (object.metadata.managedFields ?? []) as readonly FieldsEntry[];
  const scaler = entries.find(
    ({ manager = '', subresource, fieldsV1 }) =>
      subresource === 'scale' && !manager.startsWith('kubectl') && setsReplicas(fieldsV1),
  );
  return scaler === undefined ? object : { ...object, [SCALED_BY]: scaler.manager ?? '' };
}

function setsReplicas(fields: FieldsEntry['fieldsV1']): boolean {
  const spec = fields?.['f:spec'];
  return isObject(spec) && 'f:replicas' in spec;
}

/** The wish without the replicas of what an autoscaler scales; what is to have none keeps that. */
export function withAutoscalers(desired: Desired, { host }: Pick<Snapshot, 'host'>): Desired {
  const scaled = host.objects.filter((object) => object[SCALED_BY] !== undefined);
  if (scaled.length === 0) return desired;
  const live = byIdentity(scaled);
  const objects = desired.objects.map((item) => (live.has(item.id) ? withoutReplicas(item) : item));
  return { ...desired, objects };
}

function withoutReplicas(item: DesiredObject): DesiredObject {
  const { replicas, ...spec } = item.object['spec'] as { replicas?: number };
  return replicas === 0 ? item : wanted(item.place, item.step, { ...item.object, spec });
}
