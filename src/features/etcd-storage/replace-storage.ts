/** Deletes unused etcd storage after live reads. */
import type { Applier } from '../../kubernetes/apply/apply.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { pruneObject } from '../../kubernetes/apply/prune.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import { COMPONENT, INSTANCE, isOurs } from '../../api/labels.ts';
import { claimsInUse, etcdClaimsOf } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { storageReplacement } from './plan-storage.ts';
import { specOf, volumeOf } from '../../etcd-cluster/pods/stateful-set.ts';

interface HostWriter {
  readonly client: KubernetesClient;
  readonly applier: Pick<Applier, 'forget'>;
}

/**
 * Repeats the decision with live reads, because caches may be outdated, and deletes only objects that have not
 * changed since.
 * @param name `metadata.name` of the Karmada
 * @param wanted the desired StatefulSet
 * @returns number of deleted objects
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function replaceStorage(
  { client, applier }: HostWriter,
  name: string,
  wanted: DesiredObject,
): Promise<number> {
  const { namespace = '', name: called } = wanted.object.metadata;
  const labelSelector = `${INSTANCE}=${name},${COMPONENT}=etcd`;
  const list = async (type: ResourceType, more = {}): Promise<readonly KubernetesObject[]> =>
    (await client.list(type, { namespace, ...more })).items;
  const [statefulSet, pods, claims] = await Promise.all([
    client.find(resources.StatefulSet, { namespace, name: called }),
    list(resources.Pod, { labelSelector }),
    list(resources.PersistentVolumeClaim, etcdClaimsOf(name)),
  ]);
  if (statefulSet !== undefined && !isOurs(statefulSet, name)) return 0;
  const volume = volumeOf(specOf(wanted.object));
  const own = claimsInUse(claims, name, volume);
  const now = storageReplacement(name, wanted, { statefulSet, pods, claims: own });
  const remove = now?.remove ?? [];
  const outcomes = await Promise.all(
    remove.map(async (object) => {
      const { resourceVersion } = object.metadata;
      const owns = (live: KubernetesObject): boolean =>
        live.metadata.resourceVersion === resourceVersion;
      const outcome = await pruneObject(client, { object, owns });
      applier.forget(object);
      return outcome;
    }),
  );
  return outcomes.filter((outcome) => outcome === 'deleted').length;
}
