/** Maps changes in caches to Karmadas in the work queue. */
import { isDeepStrictEqual } from 'node:util';
import type { Karmada } from '../api/karmada.ts';
import { OWNER, type Host, type ManagementCluster } from '../host-clusters/host.ts';
import type { Change } from '../kubernetes/informer-options.ts';
import { enqueueOwners, priorityOf } from '../kubernetes/ownership.ts';
import type { WorkQueue } from '../kubernetes/queue.ts';
import { keyOf, keyText } from '../kubernetes/resources.ts';
import { secondsToReady, type ReconcileRecord } from './reconcile-record.ts';

/** Maps changes in the management cluster to Karmadas in the work queue. */
export function wireLocal(
  local: ManagementCluster,
  queue: WorkQueue,
  record?: ReconcileRecord,
): void {
  wireHost(local, local, queue);
  local.karmadas.onChange((change) => {
    queue.add(keyText(keyOf(change.object)), priorityOf(change));
    const seconds = secondsToReady(
      change.previous as Karmada | undefined,
      change.object as Karmada,
    );
    if (seconds !== undefined) record?.becameReady(seconds);
    // The object names are free now, so a Karmada that was rejected for a name collision may use them.
    if (change.type === 'deleted') enqueueNamespace(local, queue, change.object.metadata.namespace);
  });
}

/** Maps changes in a host cluster to Karmadas in the work queue. */
export function wireHost(host: Host, local: ManagementCluster, queue: WorkQueue): void {
  for (const informer of [...host.owned, host.pods, host.claims])
    enqueueOwners(informer, queue, OWNER);
  host.quota.onChange((namespace) => enqueueNamespace(local, queue, namespace));
  host.namespaces?.onChange((change) => {
    const { deletionTimestamp, name } = change.object.metadata;
    if (deletionTimestamp !== undefined || hasOtherLabels(change))
      enqueueNamespace(local, queue, name);
  });
  host.nodes?.onChange((change) => {
    if (sameAddresses(change)) return;
    for (const karmada of local.karmadas.cache.list() as Karmada[])
      if (karmada.spec?.components?.karmadaAPIServer?.serviceType === 'NodePort')
        queue.add(keyText(keyOf(karmada)), 'low');
  });
}

function enqueueNamespace(
  local: ManagementCluster,
  queue: WorkQueue,
  name: string | undefined,
): void {
  for (const other of local.karmadas.cache.list())
    if (other.metadata.namespace === name) queue.add(keyText(keyOf(other)));
}

/** Caches have only the labels that the operator reads: the owner of the namespace has given or taken back the consent. */
const hasOtherLabels = ({ object, previous }: Change): boolean =>
  previous !== undefined &&
  !isDeepStrictEqual(object.metadata.labels ?? {}, previous.metadata.labels ?? {});

function sameAddresses({ object, previous }: Change): boolean {
  const addressesOf = ({ status }: Change['object']): string =>
    JSON.stringify((status as { addresses?: unknown } | undefined)?.addresses);
  return previous !== undefined && addressesOf(object) === addressesOf(previous);
}
