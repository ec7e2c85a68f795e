import { sizeOf } from './cache-quota/size-of.ts';
import { differences, projection } from './compare.ts';
import { canonicalJson, sha256 } from './intent.ts';
import type { KubernetesObject } from './object.ts';
import { withoutManagedFields, type CacheTransform } from './cache-transform.ts';
import { predates, type OwnWrite } from './resource-version.ts';
import { keyOf, keyText } from './resources.ts';

/** A desired object with its hash and the transform that is applied before comparison. */
export interface Intent {
  readonly desired: KubernetesObject;
  readonly hash: string;
  readonly reduce: CacheTransform;
}

interface Ahead {
  readonly write: OwnWrite;
  readonly object: KubernetesObject;
  /** In characters of JSON. */
  readonly size: number;
}

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
  readonly #ahead = new Map<string, Ahead>();
  /**
   * Objects that exist although the watch cache lacks them: those without the labels of the operator, and those that were created
   * just now.
   */
  readonly #hidden = new Set<string>();
  readonly #mostAhead: number;
  #sizeAhead = 0;

  /**
   * @param mostAhead size of the results of writes that are kept until the watch cache has them, in characters of JSON. An API server that
   *   is not trusted decides how long they are, and may never send them in a watch
   */
  constructor(mostAhead = Infinity) {
    this.#mostAhead = mostAhead;
  }

  /** Current object: the cached one, or the result of the last write if the cache is older. */
  current(intent: Intent, cached: KubernetesObject | undefined): KubernetesObject | undefined {
    const id = idOf(intent.desired);
    const ahead = this.#ahead.get(id);
    if (cached !== undefined) this.#hidden.delete(id);
    if (ahead === undefined) return cached;
    if (cached !== undefined && predates(cached.metadata, ahead.write)) return ahead.object;
    this.#drop(id);
    return cached;
  }

  /** Records the object that a write returned, and the object that was in the cache at that time. */
  written(intent: Intent, object: KubernetesObject, cached?: KubernetesObject): void {
    const id = idOf(intent.desired);
    if (cached === undefined) this.#hidden.add(id);
    else {
      const { uid, resourceVersion: written } = object.metadata;
      // After an earlier write that the watch cache lacks, `cached` is the result of that write.
      const shown = this.#ahead.get(id)?.write.shown ?? cached.metadata.resourceVersion;
      const reduced = intent.reduce(withoutManagedFields(object));
      this.#keep(id, {
        write: { uid, shown, written },
        object: reduced,
        size: this.#sizeOf(reduced),
      });
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

  /** Records that the object contains the intent. */
  verified(intent: Intent, object: KubernetesObject): void {
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
    this.#drop(idOf(object));
    this.#hidden.delete(idOf(object));
  }

  /** Without a limit, the size of an object is not computed. */
  #sizeOf(object: KubernetesObject): number {
    return this.#mostAhead === Infinity ? 0 : sizeOf(object);
  }

  #keep(id: string, ahead: Ahead): void {
    this.#drop(id);
    this.#ahead.set(id, ahead);
    this.#sizeAhead += ahead.size;
    // The oldest first.
    for (const other of this.#ahead.keys()) {
      if (this.#sizeAhead <= this.#mostAhead) return;
      this.#drop(other);
    }
  }

  #drop(id: string): void {
    this.#sizeAhead -= this.#ahead.get(id)?.size ?? 0;
    this.#ahead.delete(id);
  }
}

function idOf(object: KubernetesObject): string {
  return `${object.apiVersion}/${object.kind}/${keyText(keyOf(object))}`;
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
