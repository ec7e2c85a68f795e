import { backoffMs, sleep } from './clock.ts';
import { WatchHealth } from './watch-health.ts';
import { errorText, isExpired } from './errors.ts';
import { isDenied, type Freshness } from './freshness.ts';
import type { InformerOptions } from './informer-options.ts';
import { selectionIn } from './list.ts';
import { isTooLarge, keptOf, retryPauseMs } from './limits.ts';
import type { KubernetesObject } from './object.ts';
import { withoutManagedFields } from './cache-transform.ts';
import { describe, keyOf, keyText, type ResourceType } from './resources.ts';
import { sameVersion, Store, type Cache } from './store.ts';
import { isSilentWatch, type WatchEvent } from './watch.ts';

/** A change of the cache, reported after it was made. */
export interface Change {
  readonly type: 'added' | 'modified' | 'deleted';
  readonly object: KubernetesObject;
  /** Previous version of the object, for `modified`. */
  readonly previous?: KubernetesObject;
}

const BACKOFF = { base: 250, max: 10_000 };
const SILENCE_MS = 75_000;
/** After a shorter watch the informer pauses before the next one, in milliseconds. */
const SHORTEST_WATCH_MS = 1_000;
const LIST_TIMEOUT_MS = 60_000;

/**
 * Keeps a cache of one kind in sync with the API server: list in pages, then watch. The informer retries without limit
 * after each error, such as a closed or silent connection, 403, 410 or 429.
 */
export class Informer {
  readonly #synced = Promise.withResolvers<undefined>();
  readonly #settled = Promise.withResolvers<undefined>();
  readonly type: ResourceType;
  /** Resolves when the first list is in the cache. Never rejects. */
  readonly synced: Promise<void> = this.#synced.promise;
  /** Resolves when `synced` does, or when the API server first denies access. Never rejects. */
  readonly settled: Promise<void> = this.#settled.promise;
  readonly #options: InformerOptions;
  readonly #store: Store;
  readonly #contact: WatchHealth;
  readonly #handlers: ((change: Change) => void)[] = [];
  readonly #stopping = new AbortController();
  #hasSynced = false;
  #version: string | undefined;
  #failures = 0;
  /** Number of consecutive expired resourceVersions without an event in between. */
  #expirations = 0;
  #overflow: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.type = options.type;
    this.#contact = new WatchHealth(options);
    this.#store = new Store(options.indexes, keptOf(options));
  }

  /** The only namespace that the objects concern, if there is one. */
  get namespace(): string | undefined {
    return this.#options.namespace ?? this.#options.concerns;
  }

  get cache(): Cache {
    return this.#store;
  }

  /** Whether the cache has held a complete list. Before that, a missing object means nothing. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Whether the cache is up to date, see freshness.ts. */
  get freshness(): Freshness {
    const { namespace } = this;
    const of = { resource: this.type.plural, ...(namespace !== undefined && { namespace }) };
    return this.#contact.freshness({ ...of, hasSynced: this.#hasSynced });
  }

  /** Milliseconds since the last response of the API server. */
  get ageMs(): number {
    return this.#contact.ageMs;
  }

  /** Error if the objects exceed a size limit; undefined otherwise. */
  get overflow(): string | undefined {
    return this.#overflow;
  }

  /** Error of the last list or watch; undefined if it succeeded. */
  get problem(): string | undefined {
    return this.#contact.failure?.text;
  }

  /**
   * Calls `handler` for each cached object and after each change. Errors of a handler are logged and do not affect
   * other handlers.
   */
  onChange(handler: (change: Change) => void): void {
    this.#handlers.push(handler);
    for (const object of this.#store.list()) this.#call(handler, { type: 'added', object });
  }

  /** Starts the informer without waiting for the first list (see `synced`). A second call has no effect. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#contact.heard();
    this.#running = this.#run();
  }

  /** Stops the watch. No change is delivered after this call. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the informer is stopped'));
    await this.#running;
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        if (this.#version === undefined) await this.#list();
        await this.#watch(this.#version ?? '');
      } catch (error) {
        if (!this.#stopped) await this.#recover(error);
      }
    }
  }

  async #list(): Promise<void> {
    const { client, type } = this.#options;
    const page = await client.list(type, {
      ...selectionIn(this.#options),
      signal: this.#stopping.signal,
      timeoutMs: LIST_TIMEOUT_MS,
    });
    if (this.#stopped) return;
    this.#heard();
    this.#replaceAll(page.items);
    this.#version = page.resourceVersion;
    this.#hasSynced = true;
    for (const mark of [this.#synced, this.#settled]) mark.resolve(undefined);
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { client, type, random, clock, silenceMs = SILENCE_MS } = this.#options;
    const { watchSeconds } = this.#contact.times;
    const events = client.watch(type, {
      ...selectionIn(this.#options),
      resourceVersion,
      timeoutSeconds: Math.round(watchSeconds * (1 + random() / 4)),
      silenceMs,
      // An open watch can still fail, so only data on it resets the number of failures.
      onOpen: () => this.#contact.heard(),
      signal: this.#stopping.signal,
    });
    const began = clock.monotonic();
    for await (const event of events) {
      if (this.#stopped) return;
      this.#heard();
      this.#expirations = 0;
      this.#take(event);
    }
    if (clock.monotonic() - began < SHORTEST_WATCH_MS) await this.#pause(0);
  }

  #heard(): void {
    this.#failures = 0;
    this.#overflow = undefined;
    this.#contact.heard();
  }

  async #recover(error: unknown): Promise<void> {
    const { log, type } = this.#options;
    const where = this.namespace === undefined ? {} : { namespace: this.namespace };
    const fields = { resource: describe(type), ...where, error: errorText(error) };
    if (isExpired(error) && this.#version !== undefined) {
      this.#version = undefined;
      log.debug(fields, 'resourceVersion expired, relisting');
      if ((this.#expirations += 1) > 1) await this.#pause(0);
      return;
    }
    const verb = this.#version === undefined ? 'list' : 'watch';
    const failure = this.#contact.failed(verb, error);
    if (isDenied(failure)) this.#settled.resolve(undefined);
    if (isSilentWatch(error) && this.#failures === 0)
      log.debug(fields, 'no changes received, opening a new watch');
    else log.warn({ ...fields, failures: this.#failures + 1 }, 'list or watch failed, will retry');
    this.#overflow = isTooLarge(error) ? failure.text : undefined;
    await this.#pause(retryPauseMs(error));
  }

  async #pause(atLeastMs: number): Promise<void> {
    const { clock, random } = this.#options;
    const row = Math.max(this.#failures, this.#expirations);
    const pause = Math.max(atLeastMs, backoffMs(row, BACKOFF, random));
    this.#failures += 1;
    await sleep(clock, pause, this.#stopping.signal);
  }

  #replaceAll(items: readonly KubernetesObject[]): void {
    const listed = new Set(items.map((item) => keyText(keyOf(item))));
    for (const key of this.#store.keys()) if (!listed.has(key)) this.#remove(key);
    for (const item of items) this.#put(item);
  }

  #take(event: WatchEvent): void {
    if (event.type === 'DELETED') this.#remove(keyText(keyOf(event.object)));
    else if (event.type !== 'BOOKMARK') this.#put(event.object);
    this.#version = event.object.metadata.resourceVersion;
  }

  #put(raw: KubernetesObject): void {
    const object = this.#reduce(raw);
    const known = this.#store.get(keyOf(object));
    if (known !== undefined && sameVersion(known, object)) return;
    this.#store.set(object);
    this.#tell(
      known === undefined
        ? { type: 'added', object }
        : { type: 'modified', object, previous: known },
    );
  }

  #remove(key: string): void {
    const object = this.#store.delete(key);
    if (object !== undefined) this.#tell({ type: 'deleted', object });
  }

  #reduce(raw: KubernetesObject): KubernetesObject {
    return withoutManagedFields(this.#options.transform?.(raw) ?? raw);
  }

  #tell(change: Change): void {
    if (this.#stopped) return;
    for (const handler of this.#handlers) this.#call(handler, change);
  }

  #call(handler: (change: Change) => void, change: Change): void {
    try {
      handler(change);
    } catch (error) {
      const fields = { resource: describe(this.type), error: errorText(error) };
      this.#options.log.error(fields, 'change handler failed');
    }
  }
}
