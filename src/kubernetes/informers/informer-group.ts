/** Informers of one kind behind one cache: one for the whole cluster, or one for each watched namespace. */
import type { Change } from './informer-options.ts';
import { Informer } from './informer.ts';
import type { InformerOptions } from './informer-options.ts';
import type { KubernetesObject } from '../objects/object.ts';
import type { ObjectKey, ResourceType } from '../objects/resources.ts';
import type { Cache } from './store.ts';

/** An informer of any kind, for code that does not read its objects. */
export type AnyInformer = Pick<Informer, keyof Informer>;

/** Watched objects of one kind. */
export interface InformerGroup<T extends KubernetesObject = KubernetesObject> {
  readonly type: ResourceType<T>;
  readonly cache: Cache<T>;
  readonly informers: readonly AnyInformer[];
  /** Whether the cache has held a complete list of the objects in a namespace. */
  hasSyncedIn(namespace: string): boolean;
  /** resourceVersion up to which the cache of a namespace is complete; undefined while it is read. */
  versionIn(namespace: string): string | undefined;
  /** Whether the cache lacks no objects of a namespace because of its quota. */
  isCompleteIn(namespace: string): boolean;
  /** See `Informer.onChange`. */
  onChange(handler: (change: Change<T>) => void): void;
}

/**
 * Creates the informers without starting them.
 * @param namespaces watched namespaces; all if undefined. Of a cluster-scoped kind, each informer selects the object
 *   with the name of the namespace.
 */
export function informerGroup<T extends KubernetesObject>(
  options: InformerOptions<T>,
  namespaces: readonly string[] | undefined,
): InformerGroup<T> {
  const { type, quota } = options;
  const selections = namespaces?.map((namespace) =>
    type.namespaced
      ? { namespace }
      : { fieldSelector: `metadata.name=${namespace}`, concerns: namespace },
  ) ?? [{}];
  const informers = selections.map((selection) => new Informer<T>({ ...options, ...selection }));
  return {
    type,
    informers,
    cache: jointCache(informers.map(({ cache }) => cache)),
    hasSyncedIn: (name) =>
      informers.some(({ namespace = name, hasSynced }) => namespace === name && hasSynced),
    versionIn: (name) => informers.find(({ namespace = name }) => namespace === name)?.version,
    isCompleteIn: (name) =>
      quota === undefined ||
      (quota.keepsAll === true ? !quota.of.isLimited(name) : quota.of.isComplete(name)),
    onChange(handler) {
      for (const informer of informers) informer.onChange(handler);
    },
  };
}

/** Cache of several caches that have no object in common. */
function jointCache<T extends KubernetesObject>(caches: readonly Cache<T>[]): Cache<T> {
  const [only] = caches;
  if (only !== undefined && caches.length === 1) return only;
  return {
    get(key: ObjectKey): T | undefined {
      for (const cache of caches) {
        const found = cache.get(key);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    list: () => caches.flatMap((cache) => cache.list()),
    byIndex: (name, value) => caches.flatMap((cache) => cache.byIndex(name, value)),
  };
}
