import type { Clock } from '../kubernetes/time/clock.ts';
import type { Host, ManagementCluster } from './host.ts';

/**
 * Starts the caches of the management cluster: first those of Karmada objects, because the others keep only objects of
 * namespaces with Karmada objects. If access to them is denied, the others start as well.
 */
export function startCaches({ karmadas, informers, optional, quota }: ManagementCluster): void {
  const all = [...informers, ...optional];
  const others = all.filter((informer) => !karmadas.informers.includes(informer));
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
export async function stopCaches({
  informers,
  optional,
  quota,
}: Pick<ManagementCluster, 'informers' | 'optional' | 'quota'>): Promise<void> {
  quota.close();
  await Promise.all([...informers, ...optional].map((informer) => informer.stop()));
}

/** Time for the first list of optional caches, which the API server may not serve. */
const OPTIONAL_MS = 5_000;

/** Resolves when all caches have synced. Those of single namespaces and optional ones may be denied. */
export async function cachesSynced(
  { informers, optional, scope }: ManagementCluster,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  await Promise.all(informers.map(({ synced, settled }) => (scope ? settled : synced)));
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(OPTIONAL_MS, () => late.resolve(undefined));
  await Promise.race([late.promise, Promise.all(optional.map(({ settled }) => settled))]);
  cancel();
}

/** Whether all caches have synced, or optional ones have failed. */
export const isFilled = ({ informers, optional }: Pick<Host, 'informers' | 'optional'>): boolean =>
  informers.every(({ hasSynced }) => hasSynced) &&
  optional.every(({ hasSynced, problem }) => hasSynced || problem !== undefined);

/** Karmadas that use a host cluster, and what follows when its caches have synced. */
interface CacheUsers {
  readonly users: ReadonlyMap<string, { readonly karmada: { readonly namespace: string } }>;
  readonly onFilled: () => void;
}

/** Starts the caches of a host cluster with the namespaces of its users. */
export function startCachesFor(
  { users, onFilled }: CacheUsers,
  { quota, informers, optional }: Pick<Host, 'quota' | 'informers' | 'optional'>,
): void {
  for (const { karmada } of users.values()) quota.admit(karmada.namespace);
  quota.start();
  for (const informer of [...informers, ...optional]) informer.start();
  const read = [
    ...informers.map(({ synced }) => synced),
    ...optional.map(({ settled }) => settled),
  ];
  // Once per host cluster, because every `then` on a promise that never settles would leak memory.
  void Promise.all(read).then(() => onFilled());
}
