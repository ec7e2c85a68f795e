/** Field ownership of `spec.replicas` for autoscaled Deployments: pure. */
import type { Replicated } from '../../kubernetes/objects/kinds.ts';
import { isAutoscaled } from '../../host-clusters/autoscaled.ts';
import {
  desiredObject,
  type DesiredObjects,
  type DesiredObject,
} from '../../instance/desired-objects.ts';
import { byIdentity } from '../../kubernetes/objects/object.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/**
 * Removes `spec.replicas` from Deployments that an autoscaler scales, so that the operator does not reset it. Keeps 0
 * replicas, which disable the component.
 */
export function withAutoscalers(
  desired: DesiredObjects,
  { host }: Pick<Snapshot, 'host'>,
): DesiredObjects {
  const scaled = host.objects.filter(isAutoscaled);
  if (scaled.length === 0) return desired;
  const live = byIdentity(scaled);
  const objects = desired.objects.map((item) => (live.has(item.id) ? withoutReplicas(item) : item));
  return { ...desired, objects };
}

function withoutReplicas(item: DesiredObject): DesiredObject {
  const { spec: { replicas, ...spec } = {} }: Replicated = item.object;
  return replicas === 0 ? item : desiredObject(item.cluster, item.step, { ...item.object, spec });
}
