import { ApplyMemory, type Intent } from './apply-memory.ts';
import { APPLIED_HASH, needsApply } from './compare.ts';
import type { CallOptions, KubernetesClient } from './contract.ts';
import { isStatus } from './errors.ts';
import { intentHash, withHash } from './intent.ts';
import type { KubernetesObject } from './object.ts';
import { reduceToMetadata, type Reduce } from './reduce.ts';
import { refusalOf, type Refusal } from './refusal.ts';
import { describe, keyOf, type ResourceType } from './resources.ts';
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
  /** The object is being deleted; it has to be gone before it can be made anew. */
  | { readonly outcome: 'terminating'; readonly object: KubernetesObject }
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
  /** The cache holds only metadata: the whole object is read when it has changed since it was seen. */
  readonly partial?: boolean;
  /** True when a live object may be changed by us, by its labels. */
  readonly owns: (live: KubernetesObject) => boolean;
  /** The form in which the cache keeps the kind, applied to `desired` before the two are compared. */
  readonly reduce?: Reduce;
  readonly call?: CallOptions;
}

/** Server-side apply that writes only when something has to change. */
export class Applier {
  readonly #client: KubernetesClient;
  readonly #manager: string;
  readonly #adopt: readonly string[];
  readonly #memory = new ApplyMemory();
  /** Desired objects are never changed, so the same object has the same hash. */
  readonly #hashes = new WeakMap<KubernetesObject, string>();

  constructor(options: ApplierOptions) {
    this.#client = options.client;
    this.#manager = options.fieldManager;
    this.#adopt = [...new Set([...(options.adoptManagers ?? []), options.fieldManager])];
  }

  /**
   * Makes the live object contain `desired`.
   * @throws ApiError, NetworkError for everything that may be better at the next attempt
   */
  async apply(asked: ApplyRequest): Promise<ApplyResult> {
    const { desired } = asked;
    const intent: Intent = { desired, hash: this.#hashOf(desired), reduce: reduceOf(asked) };
    const cached = this.#memory.current(intent, asked.cached);
    const request = { ...asked, cached };
    const live = this.#suffices(request, intent) ? cached : await this.#find(request);
    try {
      if (live === undefined) return await this.#create(request, intent);
      if (!request.owns(live)) return foreign(this.#type(request), live);
      if (live.metadata.deletionTimestamp !== undefined) {
        return { outcome: 'terminating', object: live };
      }
      return await this.#converge(request, intent, live);
    } catch (error) {
      if (error instanceof ForeignObject) return foreign(this.#type(request), error.object);
      return refusalOf(error);
    }
  }

  /**
   * Creates the object, never changes one that is there: for what must not be overwritten, such as the
   * Secret of a CA. Exists already: 'conflict' with the live object, ours or not.
   * @throws ApiError, NetworkError for everything that may be better at the next attempt
   */
  async createOnly(desired: KubernetesObject): Promise<ApplyResult> {
    const type = this.#client.typeOf(desired);
    try {
      const object = await this.#client.create(desired, { fieldManager: this.#manager });
      return { outcome: 'created', object, drift: [] };
    } catch (error) {
      if (!isStatus(error, 409)) return refusalOf(error);
      const object = await this.#client.find(type, keyOf(desired));
      // Nothing there: a quota that was counted at the same moment, for instance.
      if (object === undefined) throw error;
      return {
        outcome: 'conflict',
        message: `${describe(type, keyOf(desired))} exists already`,
        object,
      };
    }
  }

  /** Forgets what is remembered of an object, after its deletion. */
  forget(object: KubernetesObject): void {
    this.#memory.forget(object);
  }

  #hashOf(desired: KubernetesObject): string {
    const known = this.#hashes.get(desired);
    if (known !== undefined) return known;
    const hash = intentHash(desired);
    this.#hashes.set(desired, hash);
    return hash;
  }

  /** True when the cache says enough about the object to decide. */
  #suffices(request: ApplyRequest, intent: Intent): boolean {
    const { cached, partial } = request;
    if (cached === undefined || partial !== true) return cached !== undefined;
    return this.#memory.isVerified(intent, cached);
  }

  async #converge(
    request: ApplyRequest,
    intent: Intent,
    live: KubernetesObject,
  ): Promise<ApplyResult> {
    const seen = needsApply(live, this.#comparable(request, live), intent.hash);
    if (!seen.needed || (!seen.intentChanged && this.#memory.isSettled(intent, live))) {
      if (live !== request.cached) this.#memory.verified(intent, live);
      return { outcome: 'unchanged', object: live };
    }
    const first = live.metadata.annotations?.[APPLIED_HASH] === undefined;
    const base = first ? await this.#takeOver(request, await this.#fresh(request)) : live;
    const object = await this.#write(request, base, intent.hash);
    this.#memory.written(intent, object, request.cached);
    return { outcome: 'configured', object, drift: seen.intentChanged ? [] : seen.drift };
  }

  async #create(request: ApplyRequest, intent: Intent): Promise<ApplyResult> {
    // Without force: should somebody else create it at this moment, their fields stand.
    const object = await this.#client.apply(withHash(intent.desired, intent.hash), {
      ...request.call,
      fieldManager: this.#manager,
    });
    this.#memory.written(intent, object);
    return { outcome: 'created', object, drift: [] };
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

  /** The wish in the form of the live object: as cached when it came from the cache. */
  #comparable(request: ApplyRequest, live: KubernetesObject): KubernetesObject {
    const { desired, cached } = request;
    if (live !== cached) return desired;
    return reduceOf(request)(desired);
  }

  #find(request: ApplyRequest): Promise<KubernetesObject | undefined> {
    return this.#client.find(this.#type(request), keyOf(request.desired), request.call);
  }

  #type(request: ApplyRequest): ResourceType {
    return this.#client.typeOf(request.desired);
  }
}

/** The form in which the cache keeps the object. */
function reduceOf(request: Pick<ApplyRequest, 'partial' | 'reduce'>): Reduce {
  return request.partial === true ? reduceToMetadata : (request.reduce ?? ((object) => object));
}

/** The object lost our labels between the cache and the write. */
class ForeignObject extends Error {
  readonly object: KubernetesObject;

  constructor(object: KubernetesObject) {
    super('not our object');
    this.object = object;
  }
}

/** The uid makes the API server refuse when the object has been replaced by another one meanwhile. */
function guarded(object: KubernetesObject, uid: string | undefined): KubernetesObject {
  return uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
}

function foreign(type: ResourceType, live: KubernetesObject): ApplyResult {
  const name = describe(type, keyOf(live));
  // It may hold the only authority or the data of something that runs: deleting it is no remedy.
  const message = `${name} exists and was not made by this operator, which leaves it as it is; keep running the operator that made it (adoption is not supported yet), or use another name`;
  return { outcome: 'conflict', message, object: live };
}
