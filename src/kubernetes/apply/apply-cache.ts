import { BoundedObjects } from '../informers/bounded-objects.ts';
import { differences, projection } from '../objects/compare.ts';
import { flatText } from '../objects/flat-text.ts';
import { canonicalJson, sha256 } from '../objects/intent.ts';
import type { KubernetesObject } from '../objects/object.ts';
import {
  reduceToMetadata,
  withoutManagedFields,
  type CacheTransform,
} from '../objects/cache-transform.ts';
import { isOlderVersion, predates, type OwnWrite } from '../objects/resource-version.ts';
import { keyOf, keyText } from '../objects/resources.ts';

/** A desired object with its hash and the transform that is applied before comparison. */
export interface Intent {
  readonly desired: KubernetesObject;
  readonly hash: string;
  readonly reduce: CacheTransform;
}

interface Ahead {
  readonly write: OwnWrite;
  readonly object: KubernetesObject;
}

/** An object that the operator has created. */
interface Created {
  /** As the last write returned it. */
  readonly object: KubernetesObject;
  /** Version of the cache at the creation. An older one later is that of a cluster that was restored from a backup. */
  readonly shown: string | undefined;
}

/** Returns the resourceVersion up to which the cache of an object's kind is complete; undefined if it is not known. */
export type CacheVersion = (object: KubernetesObject) => string | undefined;

export interface ApplyCacheOptions {
  /** Without it, an object that was created is read until the cache contains it. */
  readonly cacheVersion?: CacheVersion | undefined;
  /**
   * Size of the results of creations, and of those of other writes, that are kept until the watch cache has them, in characters of JSON.
   * Without it, all are kept. An API server that is not trusted decides how long they are, and may never send them in a watch.
   */
  readonly maxKept?: number | undefined;
}

/** Created objects that caches may lack at once. One that is forgotten costs a read. */
const MAX_CREATED = 128;

/**
 * Cache of server-side apply results. It avoids needless writes and hides the delay of watch caches. Losing an entry is
 * harmless: it costs one read, or one write without effect.
 */
export class ApplyCache {
  /** Result of intents that the API server always changes, for example by normalizing values. */
  readonly #settled = new Map<string, string>();
  /** Version of the object that was last verified to contain its intent. */
  readonly #verified = new Map<string, string>();
  /** Results of writes that the watch cache may not contain yet. */
  readonly #ahead: BoundedObjects<Ahead>;
  /**
   * Objects that exist although the watch cache lacks them: those without the labels of the operator, and those that were created
   * just now.
   */
  readonly #hidden = new Set<string>();
  /** Those that were created just now, the oldest first. Most are gone when the next one is created. */
  readonly #createdNow: BoundedObjects<Created>;

  readonly #cacheVersion: CacheVersion;

  constructor({ cacheVersion = () => undefined, maxKept }: ApplyCacheOptions = {}) {
    this.#cacheVersion = cacheVersion;
    this.#ahead = new BoundedObjects(maxKept);
    this.#createdNow = new BoundedObjects(maxKept);
  }

  /** Current object: the cached one, or the result of the last write if the cache is older. */
  current(intent: Intent, cached: KubernetesObject | undefined): KubernetesObject | undefined {
    const id = idOf(intent.desired);
    const ahead = this.#ahead.get(id);
    const created = cached === undefined ? this.#created(id, intent) : undefined;
    if (created !== undefined) return created;
    if (cached !== undefined) this.#shown(id);
    if (ahead === undefined) return cached;
    if (cached !== undefined && predates(cached.metadata, ahead.write)) return ahead.object;
    this.#ahead.delete(id);
    return cached;
  }

  /** The created object if the cache has not reached its version, so that it cannot have seen a deletion either. */
  #created(id: string, { desired }: Intent): KubernetesObject | undefined {
    const created = this.#createdNow.get(id);
    const cacheVersion = this.#cacheVersion(desired);
    if (created === undefined || isOlderVersion(cacheVersion, created.shown)) return undefined;
    const { object } = created;
    return isOlderVersion(cacheVersion, object.metadata.resourceVersion) ? object : undefined;
  }

  /** Records the object that a write returned, and the object that was in the cache at that time. */
  written(intent: Intent, object: KubernetesObject, cached?: KubernetesObject): void {
    const id = idOf(intent.desired);
    const reduced = intent.reduce(withoutManagedFields(object));
    if (cached === undefined) {
      this.#hidden.add(id);
      this.#dropReached();
      this.#createdNow.set(id, { object: reduced, shown: this.#cacheVersion(intent.desired) });
    } else {
      const { uid, resourceVersion: written } = object.metadata;
      // After an earlier write that the watch cache lacks, `cached` is the result of that write.
      const shown = this.#ahead.get(id)?.write.shown ?? cached.metadata.resourceVersion;
      this.#ahead.set(id, { write: { uid, shown, written }, object: reduced });
      const created = this.#createdNow.get(id);
      if (created !== undefined) this.#createdNow.set(id, { ...created, object: reduced });
    }
    const [result, desiredState] = [intent.reduce(object), intent.reduce(intent.desired)];
    if (differences(result, desiredState).length === 0) this.#settled.delete(id);
    else this.#settled.set(id, settledMark(intent, object));
    this.verified(intent, object);
  }

  /** True if an earlier apply of this intent resulted in exactly the fields of `live`. */
  isSettled(intent: Intent, live: KubernetesObject): boolean {
    return this.#settled.get(idOf(intent.desired)) === settledMark(intent, live);
  }

  /** Records that the object contains the intent, if it is cached as metadata only. Others are compared each time. */
  verified(intent: Intent, object: KubernetesObject): void {
    if (intent.reduce !== reduceToMetadata) return;
    this.#verified.set(idOf(intent.desired), versionMark(intent, object));
  }

  /** True if an object that is cached as metadata only has not changed since it was verified. */
  isVerified(intent: Intent, partial: KubernetesObject): boolean {
    return this.#verified.get(idOf(intent.desired)) === versionMark(intent, partial);
  }

  /** Records that the object exists although the watch cache lacks it. */
  hidden({ desired }: Intent): void {
    this.#hidden.add(idOf(desired));
  }

  /** True if the object existed although the watch cache lacked it, and has not been cached since. */
  isHidden({ desired }: Intent): boolean {
    return this.#hidden.has(idOf(desired));
  }

  /** Removes all entries of an object. */
  forget(object: KubernetesObject): void {
    this.#settled.delete(idOf(object));
    this.#verified.delete(idOf(object));
    this.#ahead.delete(idOf(object));
    this.#shown(idOf(object));
  }

  #shown(id: string): void {
    this.#hidden.delete(id);
    this.#createdNow.delete(id);
  }

  /** Forgets created objects that caches have reached, since reconciles do not ask for most of them again. */
  #dropReached(): void {
    for (let next = this.#createdNow.oldest; next !== undefined; next = this.#createdNow.oldest) {
      const [id, { object }] = next;
      const isAwaited = isOlderVersion(this.#cacheVersion(object), object.metadata.resourceVersion);
      if (isAwaited && this.#createdNow.count < MAX_CREATED) return;
      this.#createdNow.delete(id);
    }
  }
}

function idOf(object: KubernetesObject): string {
  return flatText(`${object.apiVersion}/${object.kind}/${keyText(keyOf(object))}`);
}

function settledMark({ desired, hash, reduce }: Intent, live: KubernetesObject): string {
  const view = projection(withoutManagedFields(reduce(live)), reduce(desired));
  return sha256(`${hash}${canonicalJson(view)}`);
}

/** Version of an object: the generation, which changes with the spec, or the resourceVersion of kinds without one. */
function versionMark({ hash }: Intent, { metadata }: KubernetesObject): string {
  const { uid, generation, resourceVersion } = metadata;
  return JSON.stringify([hash, uid, generation ?? resourceVersion]);
}
