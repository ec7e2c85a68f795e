/** Cache of an informer: which objects it keeps, in which form, and who hears of changes. */
import { withoutManagedFields } from '../objects/cache-transform.ts';
import { CacheList } from './cache-list.ts';
import { Amounts, type Amount } from './cache-quota/amount.ts';
import { sizeOf } from './cache-quota/size-of.ts';
import type { ListPage } from '../client/client-interface.ts';
import { ChangeHandlers } from './change-handlers.ts';
import type { CacheOptions, Change } from './informer-options.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { Remainders } from './remainders.ts';
import { isOlderVersion } from '../objects/resource-version.ts';
import { keyOf, keyText } from '../objects/resources.ts';
import { sameVersion, Store, type Cache } from './store.ts';

/** Namespaces that are remembered because objects of them were left out. With more, any may lack objects. */
const MAX_LEFT_OUT = 10_000;

export class InformerCache<T extends KubernetesObject> {
  readonly #options: CacheOptions<T>;
  readonly #store: Store<T>;
  readonly #handlers: ChangeHandlers<T>;
  /** Namespaces of which objects were left out. */
  #leftOut: Set<string> | undefined;
  readonly #remainders: Remainders<T>;
  /** Amounts by namespace, without remainders. */
  #own: Amounts | undefined;
  /** Keys that are removed while a namespace is read, by namespace. */
  #removed: Map<string, Set<string>> | undefined;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
    this.#store = new Store(options.indexes);
    this.#handlers = new ChangeHandlers(options);
    this.#remainders = new Remainders(options.quota ?? {});
  }

  get store(): Cache<T> {
    return this.#store;
  }

  /** Calls `handler` for each cached object and after each change. Its errors are logged and affect nothing else. */
  onChange(handler: (change: Change<T>) => void): void {
    const present = this.#store.list();
    this.#handlers.add(
      handler,
      present.map((object) => ({ type: 'added', object, isInitial: true })),
    );
  }

  /** Begins a list. Its objects count towards the limits before the cache takes them. */
  beginList(): CacheList<T> {
    return new CacheList(this.#options, {
      isKept: (namespace) => this.#isKept(namespace),
      reduce: (raw) => this.#reduce(raw),
      remainderOf: (object) => {
        this.#noteLeftOut(object.metadata.namespace);
        return this.#remainders.of(object);
      },
      cachedBytes: (namespace) => this.#own?.get(namespace).bytes ?? 0,
    });
  }

  /** Replaces the content by the objects of a list. */
  replaceAll(items: readonly T[], isInitial: boolean): void {
    const listed = new Set(items.map((item) => keyText(keyOf(item))));
    for (const key of this.#store.keys())
      if (!listed.has(key) && !this.#isExcluded(key)) this.remove(key);
    for (const item of items) this.#take(item, isInitial);
  }

  /** Whether objects of a namespace were left out. If so, `read` their present state. */
  hasLeftOut(namespace: string): boolean {
    const count = this.#leftOut?.size ?? 0;
    return count >= MAX_LEFT_OUT || this.#leftOut?.has(namespace) === true;
  }

  /**
   * Adds the objects of a namespace that were left out.
   * @param list lists them, and calls its parameter; events may change the cache meanwhile
   * @throws errors of `list`
   */
  async read(
    namespace: string,
    list: (take: (page: Pick<ListPage<T>, 'items'>) => void) => Promise<void>,
  ): Promise<void> {
    const removed = new Set<string>();
    (this.#removed ??= new Map<string, Set<string>>()).set(namespace, removed);
    try {
      await list(({ items }) => {
        // The list may have dropped the namespace.
        if (this.#isKept(namespace)) this.#leftOut?.delete(namespace);
        this.#merge(namespace, items, removed);
      });
    } finally {
      this.#removed?.delete(namespace);
    }
  }

  /** Adds or replaces an object of a watch event. @throws NetworkError when the cache exceeds its limit */
  put(raw: T): void {
    this.#take(this.#isKept(raw.metadata.namespace) ? this.#reduce(raw) : raw, false);
  }

  remove(key: string): void {
    const object = this.#delete(key);
    if (object === undefined) return;
    this.#removed?.get(object.metadata.namespace ?? '')?.add(key);
    this.#handlers.tell({ type: 'deleted', object });
  }

  /** Leaves out the objects of a namespace, without telling that they were deleted. */
  drop(namespace: string): void {
    if (this.#isKept(namespace)) return;
    for (const object of this.#store.list())
      if (object.metadata.namespace === namespace) this.#leaveOut(object);
    this.#noteLeftOut(namespace);
  }

  /** Removes everything, without telling that it was deleted. */
  clear(): void {
    for (const key of this.#store.keys()) this.#delete(key);
  }

  /** @param items may be older than the cache */
  #merge(namespace: string, items: readonly T[], removed: ReadonlySet<string>): void {
    const listed = new Set(items.map((item) => keyText(keyOf(item))));
    for (const key of this.#remainders.keysIn(namespace)) if (!listed.has(key)) this.remove(key);
    for (const item of items) {
      const known = this.#store.get(keyOf(item))?.metadata.resourceVersion;
      const isOld = isOlderVersion(item.metadata.resourceVersion, known);
      if (!isOld && !removed.has(keyText(keyOf(item)))) this.#take(item, false);
    }
  }

  /** Whether the object is a remainder that lists do not contain, because its namespace is dropped. */
  #isExcluded(key: string): boolean {
    const [namespace = ''] = key.split('/');
    return this.#remainders.has(key) && this.#options.quota?.of.isDropped(namespace) === true;
  }

  #isKept(namespace = ''): boolean {
    const { quota } = this.#options;
    if (quota === undefined || namespace === '') return true;
    return quota.keepsAll === true ? !quota.of.isDropped(namespace) : quota.of.keeps(namespace);
  }

  #reduce(raw: T): T {
    const options = this.#options;
    const reduced = options.transform?.(raw) ?? raw;
    const object =
      options.keepsManagedFields?.(raw) === true ? reduced : withoutManagedFields(reduced);
    return options.shared?.share(object) ?? object;
  }

  #noteLeftOut(namespace = ''): void {
    const leftOut = (this.#leftOut ??= new Set<string>());
    if (leftOut.size < MAX_LEFT_OUT) leftOut.add(namespace);
  }

  /** @param object reduced, or a remainder */
  #take(object: T, isInitial: boolean): void {
    if (!this.#isKept(object.metadata.namespace) || this.#remainders.isOne(object))
      return this.#leaveOut(object, isInitial);
    const known = this.#store.get(keyOf(object));
    const key = keyText(keyOf(object));
    const isRemainder = this.#remainders.delete(key);
    if (known !== undefined && !isRemainder && sameVersion(known, object)) return;
    if (known === undefined) this.#admit(object);
    this.#charge(object, isRemainder ? undefined : known);
    // The namespace may have been dropped by its last object.
    if (this.#isKept(object.metadata.namespace)) this.#tellOf(object, known, isInitial);
  }

  /** Keeps at most a remainder of an object. */
  #leaveOut(object: T, isInitial = false): void {
    const key = keyText(keyOf(object));
    this.#noteLeftOut(object.metadata.namespace);
    const known = this.#store.get(keyOf(object));
    const wasRemainder = this.#remainders.has(key);
    const remainder = this.#remainders.add(object);
    if (known !== undefined && !wasRemainder) this.#uncharge(known);
    if (remainder === undefined) return void this.#lose(key);
    if (known === undefined) this.#admit(object);
    this.#store.set(remainder);
    // Only a Karmada object has a status in which the operator can report what is wrong.
    if (this.#options.quota?.isAdmitting === true) this.#tellOf(remainder, known, isInitial);
  }

  #delete(key: string): T | undefined {
    const isRemainder = this.#remainders.delete(key);
    const object = this.#lose(key);
    if (object !== undefined && !isRemainder) this.#uncharge(object);
    return object;
  }

  /** Removes an object that is not counted any more. */
  #lose(key: string): T | undefined {
    const object = this.#store.delete(key);
    const { quota } = this.#options;
    if (object !== undefined && quota?.isAdmitting === true)
      quota.of.release(object.metadata.namespace ?? '');
    return object;
  }

  #admit({ metadata: { namespace = '' } }: T): void {
    const { quota } = this.#options;
    if (quota?.isAdmitting === true) quota.of.admit(namespace);
  }

  /** Stores an object. @throws NetworkError when the cache exceeds its limit, and then stores nothing */
  #charge(object: T, known: T | undefined): void {
    const objects = known === undefined ? 1 : 0;
    const bytes = this.#sizeOf(object) - (known === undefined ? 0 : this.#sizeOf(known));
    this.#options.total?.add(bytes, this.#options.type.plural);
    this.#store.set(object);
    this.#count(object.metadata.namespace, { bytes, objects });
  }

  #uncharge(object: T): void {
    const bytes = -this.#sizeOf(object);
    this.#options.total?.add(bytes, this.#options.type.plural);
    this.#count(object.metadata.namespace, { bytes, objects: -1 });
  }

  #count(namespace = '', amount: Amount): void {
    const { quota, type } = this.#options;
    if (quota === undefined) return;
    (this.#own ??= new Amounts()).add(namespace, amount);
    quota.of.add(namespace, amount, type.plural);
  }

  /** Characters of an object, if they count towards a limit. */
  #sizeOf(object: T): number {
    const { quota, total } = this.#options;
    return quota === undefined && total === undefined ? 0 : sizeOf(object);
  }

  #tellOf(object: T, previous: T | undefined, isInitial: boolean): void {
    this.#handlers.tell(
      previous === undefined
        ? { type: 'added', object, ...(isInitial && { isInitial }) }
        : { type: 'modified', object, previous },
    );
  }
}
