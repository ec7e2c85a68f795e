import { differences, projection } from './compare.ts';
import { canonicalJson, sha256 } from './intent.ts';
import type { KubernetesObject } from './object.ts';
import { withoutManagedFields, type Reduce } from './reduce.ts';
import { keyOf, keyText } from './resources.ts';

/** An intent and the form in which it is compared. */
export interface Intent {
  readonly desired: KubernetesObject;
  readonly hash: string;
  readonly reduce: Reduce;
}

interface Ahead {
  readonly shown: string;
  readonly object: KubernetesObject;
}

/** Whether a cached object is of a time before the write: also one whose status alone was written in between. */
function isBehind({ metadata }: KubernetesObject, { shown, object }: Ahead): boolean {
  if (metadata.resourceVersion === shown) return true;
  const { uid, generation = 0 } = object.metadata;
  return metadata.uid === uid && (metadata.generation ?? 0) < generation;
}

/**
 * What one process remembers of its applies. Forgetting it is harmless: it costs a read, or a write that
 * changes nothing.
 */
export class ApplyMemory {
  /** What the API server made of an intent that never comes back as it was sent. */
  readonly #settled = new Map<string, string>();
  /** Version in which the whole object was last seen to contain its intent. */
  readonly #verified = new Map<string, string>();
  /** Results of writes that the cache does not show yet, and the version that it still shows. */
  readonly #ahead = new Map<string, Ahead>();

  /** What the cache would show if it were not behind our own last write. */
  current(intent: Intent, cached: KubernetesObject | undefined): KubernetesObject | undefined {
    const id = idOf(intent.desired);
    const ahead = this.#ahead.get(id);
    if (ahead === undefined) return cached;
    if (cached !== undefined && isBehind(cached, ahead)) return ahead.object;
    this.#ahead.delete(id);
    return cached;
  }

  /** Notes the whole object as the API server returned it after a write, and what the cache showed. */
  written(intent: Intent, object: KubernetesObject, cached?: KubernetesObject): void {
    const id = idOf(intent.desired);
    const shown = cached?.metadata.resourceVersion;
    if (shown !== undefined && shown !== object.metadata.resourceVersion) {
      this.#ahead.set(id, { shown, object: intent.reduce(withoutManagedFields(object)) });
    }
    const [result, wish] = [intent.reduce(object), intent.reduce(intent.desired)];
    if (differences(result, wish).length === 0) this.#settled.delete(id);
    else this.#settled.set(id, settledMark(intent, object));
    this.verified(intent, object);
  }

  /** True when the API server answered this intent before with just what `live` has. */
  isSettled(intent: Intent, live: KubernetesObject): boolean {
    return this.#settled.get(idOf(intent.desired)) === settledMark(intent, live);
  }

  /** Notes that the whole object contains the intent. */
  verified(intent: Intent, object: KubernetesObject): void {
    this.#verified.set(idOf(intent.desired), versionMark(intent, object));
  }

  /** True when the object, of which only metadata is known, has not changed since it was verified. */
  isVerified(intent: Intent, partial: KubernetesObject): boolean {
    return this.#verified.get(idOf(intent.desired)) === versionMark(intent, partial);
  }

  forget(object: KubernetesObject): void {
    this.#settled.delete(idOf(object));
    this.#verified.delete(idOf(object));
    this.#ahead.delete(idOf(object));
  }
}

function idOf(object: KubernetesObject): string {
  return `${object.apiVersion}/${object.kind}/${keyText(keyOf(object))}`;
}

function settledMark({ desired, hash, reduce }: Intent, live: KubernetesObject): string {
  const view = projection(withoutManagedFields(reduce(live)), reduce(desired));
  return sha256(`${hash}${canonicalJson(view)}`);
}

/** The generation moves with every change of a spec; kinds without one are known by resource version. */
function versionMark({ hash }: Intent, { metadata }: KubernetesObject): string {
  const { uid, generation, resourceVersion } = metadata;
  return JSON.stringify([hash, uid, generation ?? resourceVersion]);
}
