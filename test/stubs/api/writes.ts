/** Writes of objects: create, update, patch, apply and delete. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { created, withData, type Allocations } from './defaults.ts';
import { afterDeletion, isFinal, isTerminating } from './deletion.ts';
import { alreadyExists, badRequest, conflict, notFound } from './errors.ts';
import { isRecord, jsonPatch, mergePatch, omit, type Json } from './json.ts';
import type { ServedType } from './kinds.ts';
import { afterUpdate, applied, type Writer } from './managed-fields.ts';
import type { WriteContext } from './request.ts';
import type { Store } from './store.ts';
import { isUnchanged, numbered, writable } from './stored-object.ts';
import { validateName, validateNamespace, validateUpdate } from './validation.ts';

/** Object of a write. */
export interface WriteTarget {
  readonly type: ServedType;
  readonly namespace?: string;
  readonly name: string;
}

/** Changes or rejects an object before it is stored. `before` is undefined for a new object. */
export type Admission = (
  object: KubernetesObject,
  before: KubernetesObject | undefined,
  context: WriteContext,
) => KubernetesObject;

export const resourceOf = ({ group, plural }: Pick<ServedType, 'group' | 'plural'>): string =>
  `${group}/${plural}`;

const keyOf = ({ namespace = '', name }: Pick<WriteTarget, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

const nameOf = ({ type, name }: WriteTarget): string => `${type.plural} "${name}"`;

const timestamp = (): string => new Date().toISOString().replace(/\.\d+/, '');

export class Writes {
  readonly #store: Store;
  readonly #allocations: Allocations;
  readonly #admit: Admission;

  constructor(store: Store, allocations: Allocations, admit: Admission) {
    this.#store = store;
    this.#allocations = allocations;
    this.#admit = admit;
  }

  create(target: WriteTarget, given: KubernetesObject, context: WriteContext): KubernetesObject {
    if (this.#find(target) !== undefined) throw alreadyExists(nameOf(target));
    const object = this.#new(target, given);
    const stored = this.#managed(this.#admit(object, undefined, context), undefined, context);
    return this.#put(target, stored, context);
  }

  update(target: WriteTarget, body: KubernetesObject, context: WriteContext): KubernetesObject {
    const live = this.#existing(target);
    requireVersion(target, live, body.metadata);
    return this.#change({ target, live, context }, withData(body));
  }

  patch(target: WriteTarget, patch: unknown, context: WriteContext): KubernetesObject {
    if (context.contentType.includes('apply-patch'))
      return this.#apply(target, patch as KubernetesObject, context);
    const live = this.#existing(target);
    const body = context.contentType.includes('json-patch')
      ? jsonPatch(live, patch)
      : mergePatch(live, patch);
    return this.update(target, body as KubernetesObject, context);
  }

  /** @returns the object, or undefined if it is gone */
  delete(target: WriteTarget, options: Json, context: WriteContext): KubernetesObject | undefined {
    const live = this.#existing(target);
    requireVersion(target, live, (options['preconditions'] ?? {}) as Version);
    if (context.dryRun) return live;
    const left = afterDeletion(live, options);
    if (left === undefined) return void this.#remove(target, live);
    return left === live ? live : this.#store.put(resourceOf(target.type), left);
  }

  #apply(target: WriteTarget, given: KubernetesObject, context: WriteContext): KubernetesObject {
    const body = this.#named(target, withData(given));
    const live = this.#find(target);
    requireVersion(target, live, { uid: body.metadata.uid });
    const writer = { ...this.#writer(context), force: context.force };
    if (live === undefined) {
      const object = this.#new(target, applied(undefined, body, writer));
      return this.#put(target, this.#admit(object, undefined, context), context);
    }
    const merged = applied(live, body, writer);
    // An API server ignores the version of an apply that creates an object.
    requireVersion(target, live, { resourceVersion: body.metadata.resourceVersion });
    return merged === live ? live : this.#change({ target, live, context }, merged, true);
  }

  /** Stores a changed object. @param isManaged whether the managed fields are complete */
  #change(
    {
      target,
      live,
      context,
    }: { target: WriteTarget; live: KubernetesObject; context: WriteContext },
    given: KubernetesObject,
    isManaged = false,
  ): KubernetesObject {
    const body = writable(target.type, live, given, context.subresource);
    if (isUnchanged(live, body)) return live;
    validateUpdate(live, body);
    const admitted = this.#admit(numbered(target.type, live, body), live, context);
    const object = isManaged ? admitted : this.#managed(admitted, live, context);
    if (isTerminating(object) && isFinal(object)) {
      if (!context.dryRun) this.#remove(target, object);
      return object;
    }
    return this.#put(target, object, context);
  }

  #managed(
    object: KubernetesObject,
    before: KubernetesObject | undefined,
    context: WriteContext,
  ): KubernetesObject {
    const managedFields = afterUpdate(before, object, this.#writer(context));
    return { ...object, metadata: { ...object.metadata, managedFields } };
  }

  #writer({ manager, subresource }: WriteContext): Writer {
    return { manager, time: timestamp(), ...(subresource !== undefined && { subresource }) };
  }

  #new(target: WriteTarget, given: KubernetesObject): KubernetesObject {
    const object = this.#named(target, withData(given));
    if (target.type.namespaced)
      validateNamespace(object, this.#store.get('/namespaces', `/${target.namespace ?? ''}`));
    validateName(object);
    const { apiVersion, kind, metadata } = object;
    const stored = target.type.hasStatus ? omit(object, 'status') : object;
    return created({ ...stored, apiVersion, kind, metadata }, this.#allocations);
  }

  #named({ type, name, namespace }: WriteTarget, object: KubernetesObject): KubernetesObject {
    if (!isRecord(object.metadata)) throw badRequest('metadata is missing');
    const apiVersion = object.apiVersion ?? type.version;
    const own = type.namespaced ? { name, namespace: namespace ?? '' } : { name };
    return { ...object, apiVersion, kind: type.kind, metadata: { ...object.metadata, ...own } };
  }

  #put(target: WriteTarget, object: KubernetesObject, { dryRun }: WriteContext): KubernetesObject {
    return dryRun ? object : this.#store.put(resourceOf(target.type), object);
  }

  #remove(target: WriteTarget, object: KubernetesObject): void {
    this.#store.remove(resourceOf(target.type), object);
  }

  #find(target: WriteTarget): KubernetesObject | undefined {
    return this.#store.get(resourceOf(target.type), keyOf(target));
  }

  #existing(target: WriteTarget): KubernetesObject {
    const live = this.#find(target);
    if (live === undefined) throw notFound(nameOf(target));
    return live;
  }
}

interface Version {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** @throws StatusError 409 if the object is another one, or another version */
function requireVersion(
  target: WriteTarget,
  live: KubernetesObject | undefined,
  { uid, resourceVersion }: Version,
): void {
  if (uid !== undefined && uid !== live?.metadata.uid)
    throw conflict(`${nameOf(target)}: Precondition failed: UID in precondition: ${uid}`);
  if (resourceVersion !== undefined && resourceVersion !== live?.metadata.resourceVersion)
    throw conflict('the object has been modified');
}
