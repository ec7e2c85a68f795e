import type { Entry } from './host-entry.ts';
import type { ManagementCluster } from './host.ts';
import type { RemoteHost } from './remote-host.ts';

/**
 * Starts the caches of the management cluster: first those of Karmada objects, because the others keep only objects of
 * namespaces with Karmada objects. If access to them is denied, the others start as well.
 */
export function startCaches({ karmadas, informers, quota }: ManagementCluster): void {
  const others = informers.filter((informer) => !karmadas.informers.includes(informer));
  for (const own of karmadas.informers) {
    own.start();
    void own.settled.then(() => {
      quota.start();
      for (const other of others) if (own.namespace === other.namespace) other.start();
    });
  }
  // Of single namespaces, the caches of cluster-scoped kinds belong to none.
  const namespaces = karmadas.informers.map(({ namespace }) => namespace);
  for (const other of others) if (!namespaces.includes(other.namespace)) other.start();
}

/** Stops the caches of the management cluster. */
export async function stopCaches({ informers, quota }: ManagementCluster): Promise<void> {
  quota.close();
  await Promise.all(informers.map((informer) => informer.stop()));
}

/** Starts the caches of a host cluster with the namespaces of its users. */
export function startCachesFor(
  { users, onFilled }: Pick<Entry, 'users' | 'onFilled'>,
  { quota, informers }: Pick<RemoteHost, 'quota' | 'informers'>,
): void {
  for (const { karmada } of users.values()) quota.admit(karmada.namespace);
  quota.start();
  for (const informer of informers) informer.start();
  // Once per host cluster, because every `then` on a promise that never settles would leak memory.
  void Promise.all(informers.map(({ synced }) => synced)).then(() => onFilled());
}
