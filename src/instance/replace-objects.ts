import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Snapshot } from './snapshot.ts';

/** Returns the snapshot with replaced objects. */
export function withObjects<T extends Pick<Snapshot, 'host' | 'controlPlane'>>(
  snapshot: T,
  replace: (
    cluster: 'host' | 'controlPlane',
    objects: readonly KubernetesObject[],
  ) => readonly KubernetesObject[],
): T {
  const { host, controlPlane } = snapshot;
  return {
    ...snapshot,
    host: { ...host, objects: replace('host', host.objects) },
    controlPlane: { ...controlPlane, objects: replace('controlPlane', controlPlane.objects) },
  };
}
