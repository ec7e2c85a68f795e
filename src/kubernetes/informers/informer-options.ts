import type { CacheQuota } from './cache-quota/cache-quota.ts';
import type { CacheTotal } from './cache-total.ts';
import type { Reader } from '../client/call-gate.ts';
import type { Selection } from '../client/client-interface.ts';
import type { Clock, Log, Random } from '../time/clock.ts';
import type { WatchTimes } from './freshness.ts';
import type { KubernetesObject } from '../objects/object.ts';
import type { ResourceType } from '../objects/resources.ts';
import type { SharedValues } from './shared-values.ts';
import type { IndexFunction } from './store.ts';

/** A change of the cache, reported after it was made. */
export interface Change<T extends KubernetesObject = KubernetesObject> {
  readonly type: 'added' | 'modified' | 'deleted';
  readonly object: T;
  /** Previous version of the object, for `modified`. */
  readonly previous?: T;
  /** Whether the object is part of the first list, so that its change is not news. */
  readonly isInitial?: boolean;
}

/** How a cache takes part in the quota of its cluster. */
export interface Quota<T extends KubernetesObject = KubernetesObject> {
  readonly of: CacheQuota;
  /** If true, the objects are Karmada objects, which make all caches keep the objects of their namespace. */
  readonly isAdmitting?: boolean;
  /** If true, the cache also keeps the objects of other namespaces. */
  readonly keepsAll?: boolean;
  /** What remains of an object that is left out; nothing if undefined. */
  remainder?(object: T): T | undefined;
}

export interface CacheOptions<T extends KubernetesObject = KubernetesObject> {
  readonly type: ResourceType<T>;
  readonly log: Log;
  /** Cache transform of an object. Managed fields are removed, unless `keepsManagedFields` returns true for the object. */
  transform?(object: T): T;
  keepsManagedFields?(object: T): boolean;
  readonly indexes?: Readonly<Record<string, IndexFunction>>;
  readonly quota?: Quota<T>;
  /** Limit of this cache and others together. */
  readonly total?: CacheTotal;
  /** Parts that objects of all caches of the process have in common. */
  readonly shared?: Pick<SharedValues, 'share'>;
}

export interface InformerOptions<T extends KubernetesObject = KubernetesObject>
  extends Selection, CacheOptions<T> {
  readonly client: Reader;
  readonly clock: Clock;
  readonly random: Random;
  /** Namespace that the objects concern, if the kind has none. */
  readonly concerns?: string;
  /** Maximum number of objects of the first page of a list, for kinds with large objects. */
  readonly pageSize?: number;
  /** Time without data after which a watch fails, in milliseconds. Defaults to 75 s. */
  readonly silenceMs?: number;
  readonly watchTimes?: WatchTimes;
}
