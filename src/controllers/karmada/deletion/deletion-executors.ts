/** Executors of the writes of a deletion. */
import { isOurs } from '../../../api/labels.ts';
import type { Karmada } from '../../../api/karmada.ts';
import type {
  KarmadaAction,
  StoreDefaults,
  RevokeMemberAccess,
} from '../../../actions/karmada-action.ts';
import type { ExecutorsOf } from '../../../actions/execute-actions.ts';
import type { Done } from '../../../actions/execution-result.ts';
import { isOwnClaim } from '../../../etcd-cluster/storage/persistent-volume-claims.ts';
import { adoptObject } from '../../../features/adoption/adopt-object.ts';
import { removeLocalKubeconfig } from '../../../features/remote-host/remote-host.ts';
import { statusExecutors } from '../../../features/status/report-status.ts';
import type { StatusTools } from '../../../features/status/status-writer.ts';
import { karmadas, type Host, type ManagementCluster } from '../../../host-clusters/host.ts';
import { isNotFound } from '../../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { pruneObject } from '../../../kubernetes/apply/prune.ts';
import { keyOf, resources } from '../../../kubernetes/objects/resources.ts';
import { SHORT_GRACE_SECONDS } from '../../../etcd-cluster/pods/short-grace.ts';
import { finalizerPatch } from './finalizer-patch.ts';

export interface DeletionExecutorTools extends StatusTools {
  readonly local: ManagementCluster;
  readonly host: Host;
}

/** Writes of a deletion, except those to member clusters. */
export type DeletionAction = Exclude<KarmadaAction, StoreDefaults | RevokeMemberAccess>;

/** Creates the executors for the deletion of one Karmada. All guard against a new object with the same name. */
export function deletionExecutors(
  tools: DeletionExecutorTools,
  { metadata: { name, namespace = '' } }: Pick<Karmada, 'metadata'>,
): ExecutorsOf<DeletionAction> {
  const { local, host } = tools;
  return {
    ...statusExecutors(tools, { key: `${namespace}/${name}`, settled: new Map() }),
    adoptObject: (action) => adoptObject(tools, action),
    deleteObject: ({ object }) => deleteObject(host, name, object),
    shortenGracePeriod: ({ pod }) => shortenGracePeriod(host, pod),
    deleteKubeconfigCopy: async ({ karmada }) => {
      await removeLocalKubeconfig(local, karmada);
      return {};
    },
    removeFinalizer: ({ karmada }) => removeFinalizer(local, karmada),
  };
}

async function deleteObject(host: Host, name: string, object: KubernetesObject): Promise<Done> {
  const owns = (live: KubernetesObject): boolean =>
    live.kind === resources.PersistentVolumeClaim.kind
      ? isOwnClaim(live, name)
      : isOurs(live, name);
  await pruneObject(host.client, { object, owns });
  host.applier.forget(object);
  return { writes: 1 };
}

async function shortenGracePeriod({ client }: Host, pod: KubernetesObject): Promise<Done> {
  const { uid } = pod.metadata;
  const guard = uid === undefined ? {} : { uid };
  try {
    await client.delete(resources.Pod, keyOf(pod), {
      ...guard,
      gracePeriodSeconds: SHORT_GRACE_SECONDS,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return { writes: 1 };
}

/** Removes the finalizer of this operator from the live Karmada. */
async function removeFinalizer(
  { client }: Pick<ManagementCluster, 'client'>,
  karmada: Karmada,
): Promise<Done> {
  const { name, namespace = '', uid } = karmada.metadata;
  const patch = finalizerPatch(await client.find(karmadas, { namespace, name }), uid);
  if (patch === undefined) return {};
  try {
    await client.patch(karmadas, { namespace, name }, patch);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return { writes: 1 };
}
