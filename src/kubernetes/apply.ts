import { APPLIED_HASH, differences, needsApply, projection, type Comparison } from './compare.ts';
import type { CallOptions, KubernetesClient } from './contract.ts';
import { isStatus } from './errors.ts';
import { canonicalJson, intentHash, sha256, withHash } from './intent.ts';
import type { KubernetesObject } from './object.ts';
import { withoutManagedFields, type Reduce } from './reduce.ts';
import { refusalOf, type Refusal } from './refusal.ts';
import { describe, keyOf, keyText, type ResourceType } from './resources.ts';
import { takeOver, takeOverPatch } from './takeover.ts';
import { changedUnions, replaceUnions } from './unions.ts';

/** What came of one object. */
export type ApplyResult =
  | { readonly outcome: 'unchanged'; readonly object: KubernetesObject }
  | {
      readonly outcome: 'created' | 'configured';
      readonly object: KubernetesObject;
      /** Paths at which the live object had been changed by somebody else. */
      readonly drift: readonly string[];
    }
  /** There is such an object and it is not ours; nothing was written. */
  | { readonly outcome: 'conflict'; readonly message: string; readonly object?: KubernetesObject }
  | Refusal;

export interface ApplierOptions {
  readonly client: KubernetesClient;
  readonly fieldManager: string;
  /** Managers whose Update-owned fields become ours when an object is applied for the first time. */
  readonly adoptManagers?: readonly string[];
}

export interface ApplyRequest {
  readonly desired: KubernetesObject;
  /** What the cache has; undefined asks the API server first: not cached does not mean not there. */
  readonly cached?: KubernetesObject | undefined;
  /** True when a live object may be changed by us, by its labels. */
  readonly owns: (live: KubernetesObject) => boolean;
  /** The form in which the cache keeps the kind, applied to `desired` before the two are compared. */
  readonly reduce?: Reduce;
  readonly call?: CallOptions;
}

/**
 * Server-side apply that writes only when something has to change. Remembers, per object, what the API
 * server made of an intent that never comes back as sent (normalised quantities, a mutating webhook), so
 * that this does not become a loop; forgetting it costs one write.
 */
export class Applier {
  readonly #client: KubernetesClient;
  readonly #manager: string;
  readonly #adopt: readonly string[];
  readonly #settled = new Map<string, string>();

  constructor(options: ApplierOptions) {
    this.#client = options.client;
    this.#manager = options.fieldManager;
    this.#adopt = [...new Set([...(options.adoptManagers ?? []), options.fieldManager])];
  }

  /**
   * Makes the live object contain `desired`.
   * @throws ApiError, NetworkError for everything that may be better at the next attempt
   */
  async apply(request: ApplyRequest): Promise<ApplyResult> {
    const hash = intentHash(request.desired);
    const live = request.cached ?? (await this.#find(request));
    if (live === undefined) return this.#create(request, hash);
    if (!request.owns(live)) return foreign(this.#type(request), live);
    const seen = this.#compare(request, live, hash);
    if (!seen.needed || this.#isSettled(request, live, hash)) {
      return { outcome: 'unchanged', object: live };
    }
    try {
      return await this.#configure(request, live, { hash, seen });
    } catch (error) {
      if (error instanceof ForeignObject) return foreign(this.#type(request), error.object);
      return refusalOf(error);
    }
  }

  /**
   * Creates the object, never changes one that is there: for what must not be overwritten, such as the
   * Secret of a CA. Exists already: 'conflict' with the live object, ours or not.
   */
  async createOnly(desired: KubernetesObject, call: CallOptions = {}): Promise<ApplyResult> {
    const type = this.#client.typeOf(desired);
    const body = withHash(desired, intentHash(desired));
    try {
      const object = await this.#client.create(body, { ...call, fieldManager: this.#manager });
      return { outcome: 'created', object, drift: [] };
    } catch (error) {
      if (!isStatus(error, 409)) return refusalOf(error);
      const object = await this.#client.find(type, keyOf(desired), call);
      const message = `${describe(type, keyOf(desired))} exists already`;
      return { outcome: 'conflict', message, ...(object === undefined ? {} : { object }) };
    }
  }

  /** Forgets what is remembered of an object, after its deletion. */
  forget(object: KubernetesObject): void {
    this.#settled.delete(this.#id(object));
  }

  async #create(request: ApplyRequest, hash: string): Promise<ApplyResult> {
    try {
      // Without force: should somebody else create it at this moment, their fields stand.
      const object = await this.#client.apply(withHash(request.desired, hash), {
        ...request.call,
        fieldManager: this.#manager,
      });
      this.#remember(request, object, hash);
      return { outcome: 'created', object, drift: [] };
    } catch (error) {
      return refusalOf(error);
    }
  }

  async #configure(
    request: ApplyRequest,
    live: KubernetesObject,
    found: { readonly hash: string; readonly seen: Comparison },
  ): Promise<ApplyResult> {
    const first = live.metadata.annotations?.[APPLIED_HASH] === undefined;
    const base = first ? await this.#takeOver(request, await this.#fresh(request)) : live;
    const object = await this.#write(request, base, found.hash);
    this.#remember(request, object, found.hash);
    const drift = found.seen.intentChanged ? [] : found.seen.drift;
    return { outcome: 'configured', object, drift };
  }

  /** Applies; what is refused because of a union's former member is written as a whole first. */
  async #write(
    request: ApplyRequest,
    base: KubernetesObject,
    hash: string,
  ): Promise<KubernetesObject> {
    try {
      return await this.#patch(request, base, hash);
    } catch (error) {
      if (!isStatus(error, 422)) throw error;
      const fresh = await this.#fresh(request);
      if (changedUnions(fresh, request.desired).length === 0) throw error;
      const replaced = await this.#replace(request, fresh);
      return this.#patch(request, await this.#takeOver(request, replaced), hash);
    }
  }

  #patch(request: ApplyRequest, base: KubernetesObject, hash: string): Promise<KubernetesObject> {
    const body = guarded(withHash(request.desired, hash), base.metadata.uid);
    return this.#client.apply(body, { ...request.call, fieldManager: this.#manager, force: true });
  }

  /** The object as it is now, with its managed fields; caches do not keep them. */
  async #fresh(request: ApplyRequest): Promise<KubernetesObject> {
    const fresh = await this.#client.get(this.#type(request), keyOf(request.desired), request.call);
    if (request.owns(fresh)) return fresh;
    throw new ForeignObject(fresh);
  }

  /**
   * Writes the whole object, without the hash: should we die before the apply that follows, the next
   * attempt takes the fields over first, as for an object it has never applied.
   */
  #replace(request: ApplyRequest, live: KubernetesObject): Promise<KubernetesObject> {
    const merged = replaceUnions(live, request.desired);
    const annotations = { ...merged.metadata.annotations };
    delete annotations[APPLIED_HASH];
    const body = { ...merged, metadata: { ...merged.metadata, annotations } };
    return this.#client.replace(body, { ...request.call, fieldManager: this.#manager });
  }

  async #takeOver(request: ApplyRequest, live: KubernetesObject): Promise<KubernetesObject> {
    const fields = takeOver(live, this.#manager, this.#adopt);
    if (fields === undefined) return live;
    const patch = takeOverPatch(live, fields);
    const options = { ...request.call, fieldManager: this.#manager };
    return this.#client.patch(this.#type(request), keyOf(live), patch, options);
  }

  #compare(request: ApplyRequest, live: KubernetesObject, hash: string): Comparison {
    return needsApply(live, this.#comparable(request, live), hash);
  }

  /** The wish in the form of the live object: as cached when it came from the cache. */
  #comparable(request: ApplyRequest, live: KubernetesObject): KubernetesObject {
    const { reduce, cached, desired } = request;
    return reduce !== undefined && live === cached ? reduce(desired) : desired;
  }

  #remember(request: ApplyRequest, object: KubernetesObject, hash: string): void {
    const { reduce = (whole) => whole, desired } = request;
    const [result, wish] = [reduce(object), reduce(desired)];
    if (differences(result, wish).length === 0) this.#settled.delete(this.#id(desired));
    else this.#settled.set(this.#id(desired), settledMark(result, wish, hash));
  }

  #isSettled(request: ApplyRequest, live: KubernetesObject, hash: string): boolean {
    const mark = this.#settled.get(this.#id(request.desired));
    if (mark === undefined || live.metadata.annotations?.[APPLIED_HASH] !== hash) return false;
    const reduce = request.reduce ?? ((whole) => whole);
    return mark === settledMark(reduce(live), reduce(request.desired), hash);
  }

  #find(request: ApplyRequest): Promise<KubernetesObject | undefined> {
    return this.#client.find(this.#type(request), keyOf(request.desired), request.call);
  }

  #type(request: ApplyRequest): ResourceType {
    return this.#client.typeOf(request.desired);
  }

  #id(object: KubernetesObject): string {
    return `${object.apiVersion}/${object.kind}/${keyText(keyOf(object))}`;
  }
}

/** The object lost our labels between the cache and the write. */
class ForeignObject extends Error {
  readonly object: KubernetesObject;

  constructor(object: KubernetesObject) {
    super('not our object');
    this.object = object;
  }
}

function settledMark(live: KubernetesObject, wish: KubernetesObject, hash: string): string {
  return sha256(`${hash}${canonicalJson(projection(withoutManagedFields(live), wish))}`);
}

/** The uid makes the API server refuse when the object has been replaced by another one meanwhile. */
function guarded(object: KubernetesObject, uid: string | undefined): KubernetesObject {
  return uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
}

function foreign(type: ResourceType, live: KubernetesObject): ApplyResult {
  const name = describe(type, keyOf(live));
  const message = `${name} exists and was not made by this operator; rename or delete it`;
  return { outcome: 'conflict', message, object: live };
}
