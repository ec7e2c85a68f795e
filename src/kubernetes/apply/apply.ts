import { ApplyCache, type Intent } from './apply-cache.ts';
import { ifAbsent, ifSame } from './apply-preconditions.ts';
import type { ApplierOptions, ApplyRequest, ApplyResult } from './apply-request.ts';
import { APPLIED_HASH, needsApply } from '../objects/compare.ts';
import type { KubernetesClient } from '../client/client-interface.ts';
import { isStatus } from '../client/errors.ts';
import { foreign, ForeignObject } from '../objects/foreign-object.ts';
import { intentHash, withHash } from '../objects/intent.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { reduceToMetadata, type CacheTransform } from '../objects/cache-transform.ts';
import { permanentErrorOf } from '../client/permanent-errors.ts';
import { describe, keyOf, type ResourceType } from '../objects/resources.ts';
import { migrateManagedFields, migrationPatch } from './migrate-managed-fields.ts';
import { changedUnions, replaceUnions } from '../objects/union-fields.ts';
import { WholeObjects } from '../informers/whole-objects.ts';

/** A live object that differs from the desired one. */
interface Difference {
  readonly uid: string | undefined;
  /** Whether the operator has never applied it. */
  readonly isFirst: boolean;
  readonly drift: readonly string[];
}

type Finding = ApplyResult | Difference | { readonly isAbsent: true };

/** Server-side apply that writes only if the live object differs from the desired object. */
export class Applier {
  readonly #client: KubernetesClient;
  readonly #manager: string;
  readonly #whole: WholeObjects;
  readonly #memory: ApplyCache;
  /** Hash cache. Desired objects are immutable, so one object always has the same hash. */
  readonly #hashes = new WeakMap<KubernetesObject, string>();

  constructor(options: ApplierOptions) {
    this.#client = options.client;
    this.#manager = options.fieldManager;
    this.#memory = new ApplyCache(options);
    this.#whole = new WholeObjects(options.client, options.labelSelector);
  }

  /**
   * Creates or updates the live object so that it contains `desired`.
   * @throws ApiError, NetworkError when a retry may succeed
   */
  async apply(asked: ApplyRequest): Promise<ApplyResult> {
    const { desired } = asked;
    const intent: Intent = { desired, hash: this.#hashOf(desired), reduce: reduceOf(asked) };
    const cached = this.#memory.current(intent, asked.cached);
    const request = { ...asked, cached };
    const created = await this.#createAbsent(request, intent);
    if (created !== undefined) return created;
    const seen = this.#suffices(request, intent)
      ? this.#examine(request, intent, cached)
      : await this.#find(request).then((live) => this.#examine(request, intent, live));
    if ('outcome' in seen) return seen;
    try {
      return 'isAbsent' in seen
        ? await this.#create(request, intent)
        : await this.#converge(request, intent, seen);
    } catch (error) {
      if (error instanceof ForeignObject) return foreign(this.#type(request), error.object);
      return permanentErrorOf(error);
    }
  }

  /**
   * Creates the object and never changes an existing one, for objects such as the Secret of a CA.
   * Returns 'conflict' with the live object if one exists, also if it belongs to the operator.
   * @throws ApiError, NetworkError when a retry may succeed
   */
  async createOnly(desired: KubernetesObject): Promise<ApplyResult> {
    const type = this.#client.typeOf(desired);
    try {
      const object = await this.#client.create(desired, { fieldManager: this.#manager });
      return { outcome: 'created', object, drift: [] };
    } catch (error) {
      if (!isStatus(error, 409)) return permanentErrorOf(error);
      const object = await this.#client.find(type, keyOf(desired));
      // 409 without an existing object, for example because a concurrent request updated a ResourceQuota.
      if (object === undefined) throw error;
      const message = `${describe(type, keyOf(desired))} already exists`;
      return { outcome: 'conflict', message, object };
    }
  }

  /**
   * Compares a complete object that a cache is about to keep in part. If it contains `desired`, `apply` does not read it again.
   * Writes nothing.
   */
  compare(desired: KubernetesObject, live: KubernetesObject): void {
    const hash = this.#hashOf(desired);
    if (!needsApply(live, desired, hash).needed)
      this.#memory.verified({ desired, hash, reduce: reduceToMetadata }, live);
  }

  /** Removes the cached results of a deleted object. */
  forget(object: KubernetesObject): void {
    this.#memory.forget(object);
  }

  #hashOf(desired: KubernetesObject): string {
    const hash = this.#hashes.get(desired) ?? intentHash(desired);
    this.#hashes.set(desired, hash);
    return hash;
  }

  /** Whether the cached object is sufficient for the comparison. */
  #suffices(request: ApplyRequest, intent: Intent): boolean {
    const { cached, partial } = request;
    if (cached === undefined || partial !== true) return cached !== undefined;
    return this.#memory.isVerified(intent, cached);
  }

  /** Compares the live object. Returns nothing of it if a write follows: a long response would be in memory while that lasts. */
  #examine(request: ApplyRequest, intent: Intent, live: KubernetesObject | undefined): Finding {
    if (live === undefined) return { isAbsent: true };
    if (!request.owns(live)) return foreign(this.#type(request), live);
    const { deletionTimestamp, uid, annotations = {} } = live.metadata;
    if (deletionTimestamp !== undefined) return { outcome: 'terminating', object: live };
    const seen = needsApply(live, this.#comparable(request, live), intent.hash);
    if (!seen.needed || (!seen.intentChanged && this.#memory.isSettled(intent, live))) {
      if (live !== request.cached) this.#memory.verified(intent, live);
      return { outcome: 'unchanged', object: live };
    }
    const isFirst = annotations[APPLIED_HASH] === undefined;
    return { uid, isFirst, drift: seen.intentChanged ? [] : seen.drift };
  }

  async #converge(
    request: ApplyRequest,
    intent: Intent,
    { uid, isFirst, drift }: Difference,
  ): Promise<ApplyResult> {
    const base = isFirst ? await this.#migrated(request, this.#fresh(request)) : uid;
    const object = await this.#write(request, base, intent.hash);
    this.#memory.written(intent, object, request.cached);
    return { outcome: 'configured', object, drift };
  }

  /** @returns undefined if the object must be read first */
  async #createAbsent(request: ApplyRequest, intent: Intent): Promise<ApplyResult | undefined> {
    const { cached, isAbsent = false } = request;
    if (cached !== undefined || !isAbsent || this.#memory.isHidden(intent)) return undefined;
    try {
      return await this.#create(request, intent);
    } catch (error) {
      if (!isStatus(error, 409)) return permanentErrorOf(error);
      this.#memory.hidden(intent);
      return undefined;
    }
  }

  /** Without force and only if no object exists, also if another client creates it concurrently. */
  async #create(request: ApplyRequest, intent: Intent): Promise<ApplyResult> {
    const object = await this.#client.apply(ifAbsent(withHash(intent.desired, intent.hash)), {
      ...request.call,
      fieldManager: this.#manager,
    });
    this.#memory.written(intent, object);
    return { outcome: 'created', object, drift: [] };
  }

  /** Applies. If a previous union field makes the API server reject the apply, it first replaces the whole object. */
  async #write(
    request: ApplyRequest,
    uid: string | undefined,
    hash: string,
  ): Promise<KubernetesObject> {
    try {
      return await this.#patch(request, uid, hash);
    } catch (error) {
      if (!isStatus(error, 422)) throw error;
      const base = await this.#fresh(request).then((fresh) =>
        changedUnions(fresh, request.desired).length === 0
          ? undefined
          : this.#migrated(request, this.#replace(request, fresh)),
      );
      if (base === undefined) throw error;
      return this.#patch(request, base, hash);
    }
  }

  /** @param uid of the live object */
  #patch(request: ApplyRequest, uid: string | undefined, hash: string): Promise<KubernetesObject> {
    const body = ifSame(withHash(request.desired, hash), uid);
    return this.#client.apply(body, { ...request.call, fieldManager: this.#manager, force: true });
  }

  /** Reads the live object with managed fields, which caches do not keep. */
  async #fresh(request: ApplyRequest): Promise<KubernetesObject> {
    const fresh = await this.#client.get(this.#type(request), keyOf(request.desired), request.call);
    if (!request.owns(fresh)) throw new ForeignObject(fresh);
    return fresh;
  }

  /**
   * Replaces the whole object without the hash annotation. If the operator exits before the apply that follows, the
   * next attempt migrates the managed fields first, as for an object that was never applied.
   */
  #replace(request: ApplyRequest, live: KubernetesObject): Promise<KubernetesObject> {
    const merged = replaceUnions(live, request.desired);
    const annotations = { ...merged.metadata.annotations };
    delete annotations[APPLIED_HASH];
    const body = { ...merged, metadata: { ...merged.metadata, annotations } };
    return this.#client.replace(body, { ...request.call, fieldManager: this.#manager });
  }

  /** @returns the UID of the live object. Does not keep it while the write lasts */
  #migrated(request: ApplyRequest, fresh: Promise<KubernetesObject>): Promise<string | undefined> {
    return fresh.then((live) => this.#migrate(request, live)).then(({ metadata }) => metadata.uid);
  }

  #migrate(
    request: ApplyRequest,
    live: KubernetesObject,
  ): KubernetesObject | Promise<KubernetesObject> {
    const fields = migrateManagedFields(live, this.#manager);
    if (fields === undefined) return live;
    const patch = migrationPatch(live, fields);
    const options = { ...request.call, fieldManager: this.#manager };
    return this.#client.patch(this.#type(request), keyOf(live), patch, options);
  }

  /** Desired object in the form of the live object: with the cache transform if that came from the cache. */
  #comparable(request: ApplyRequest, live: KubernetesObject): KubernetesObject {
    const { desired, cached } = request;
    return live === cached ? reduceOf(request)(desired) : desired;
  }

  #find(request: ApplyRequest): Promise<KubernetesObject | undefined> {
    const { cached, partial, desired, call } = request;
    return cached !== undefined && partial === true
      ? this.#whole.read(this.#type(request), cached, call)
      : this.#client.find(this.#type(request), keyOf(desired), call);
  }

  #type(request: ApplyRequest): ResourceType {
    return this.#client.typeOf(request.desired);
  }
}

/** Transform that the cache uses for the object. */
function reduceOf(request: Pick<ApplyRequest, 'partial' | 'reduce'>): CacheTransform {
  return request.partial === true ? reduceToMetadata : (request.reduce ?? ((object) => object));
}
