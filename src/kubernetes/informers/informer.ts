import { takeEach } from '../time/async-values.ts';
import { InformerPause } from './informer-pause.ts';
import { WatchHealth } from './watch-health.ts';
import { errorText, isExpired, NetworkError } from '../client/errors.ts';
import { isDenied, type Freshness } from './freshness.ts';
import { InformerCache } from './informer-cache.ts';
import type { Change, InformerOptions } from './informer-options.ts';
import type { ListPage, Selection } from '../client/client-interface.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { isTooLarge, outOfMemory, retryPauseMs } from '../client/limits.ts';
import { QuotaMember } from './quota-member.ts';
import { describe, keyOf, keyText, type ResourceType } from '../objects/resources.ts';
import { Sequence } from '../time/sequence.ts';
import type { Cache } from './store.ts';
import { TermEndedError } from '../time/term.ts';
import { isSilentWatch, type WatchEvent } from '../client/watch.ts';

const MS = { silence: 75_000, list: 60_000 };

/**
 * Keeps a cache of one kind in sync with the API server: list in pages, then watch. The informer retries without limit
 * after each error, such as a closed or silent connection, 403, 410 or 429, until the term of its client ends.
 */
export class Informer<T extends KubernetesObject = KubernetesObject> {
  readonly #synced = Promise.withResolvers<undefined>();
  readonly #settled = Promise.withResolvers<undefined>();
  readonly type: ResourceType<T>;
  /** Resolves when the first list is in the cache. Never rejects. */
  readonly synced: Promise<void> = this.#synced.promise;
  /** Resolves when `synced` does, or when the API server first denies access. Never rejects. */
  readonly settled: Promise<void> = this.#settled.promise;
  readonly #options: InformerOptions<T>;
  readonly #cache: InformerCache<T>;
  readonly #contact: WatchHealth;
  readonly #stopping = new AbortController();
  readonly #pause: InformerPause;
  /** Ends the present watch: for one with another selection, or for good. */
  #renewal = new AbortController();
  readonly #member: QuotaMember<T>;
  readonly #lists = new Sequence();
  /** How often the cache lost all its objects. */
  #losses = 0;
  #hasSynced = false;
  #version: string | undefined;
  #overflow: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.type = options.type;
    this.#contact = new WatchHealth(options);
    this.#pause = new InformerPause(options, this.#stopping.signal);
    this.#cache = new InformerCache(options);
    const own = { options, cache: this.#cache, settled: this.settled };
    this.#member = new QuotaMember({
      ...{ ...own, signal: this.#stopping.signal },
      isStarted: () => this.#running !== undefined,
      read: (selection, take) => this.#read(selection, take),
      renew: () => this.#renewal.abort(),
      empty: () => this.#forget(),
    });
    options.total?.register(() => this.#evict());
  }

  /** The only namespace that the objects concern, if there is one. */
  get namespace(): string | undefined {
    return this.#options.namespace ?? this.#options.concerns;
  }

  get cache(): Cache<T> {
    return this.#cache.store;
  }

  /** resourceVersion up to which the cache is complete; undefined while it is read. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Whether the cache has held a complete list. Before that, a missing object means nothing. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Whether the cache is up to date, see freshness.ts. */
  get freshness(): Freshness {
    const { namespace } = this;
    const of = { resource: this.type.plural, ...(namespace !== undefined && { namespace }) };
    if (this.#member.isHeld) return { state: 'fresh', ...of };
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

  /** Calls `handler` for each cached object and after each change. Its errors are logged and affect nothing else. */
  onChange(handler: (change: Change<T>) => void): void {
    this.#cache.onChange((change) => {
      if (!this.#stopping.signal.aborted) handler(change);
    });
  }

  /** Starts the informer without waiting for the first list (see `synced`). A second call has no effect. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#contact.heard();
    this.#running = this.#run();
  }

  /** Stops the watch. No change is delivered after this call. */
  async stop(): Promise<void> {
    const reason = new Error('the informer is stopped');
    [this.#stopping, this.#renewal].forEach((controller) => controller.abort(reason));
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (this.#member.isHeld) await this.#hold();
        else if (this.#version === undefined) await this.#list();
        else await this.#watch(this.#version);
      } catch (error) {
        if (this.#stopping.signal.aborted || error instanceof TermEndedError) return;
        await this.#recover(error);
      }
    }
  }

  /** Waits until the only namespace is read again. Nothing waits for it meanwhile, and its objects are not used. */
  async #hold(): Promise<void> {
    for (const mark of [this.#synced, this.#settled]) mark.resolve(undefined);
    await this.#member.resumed();
  }

  /** @throws NetworkError when the cache was emptied meanwhile, because all caches need too much memory */
  async #list(): Promise<void> {
    const losses = this.#losses;
    await this.#read({}, (page) => {
      this.#heard();
      if (losses === this.#losses) this.#cache.replaceAll(page.items, !this.#hasSynced);
      if (losses !== this.#losses) return;
      this.#version = page.resourceVersion;
      this.#hasSynced = true;
      this.#member.filled();
      for (const mark of [this.#synced, this.#settled]) mark.resolve(undefined);
    });
    if (losses !== this.#losses && this.#options.total)
      throw outOfMemory(`keep ${this.type.plural}`);
  }

  /** @param take takes the result of the list; not called if the informer is stopped */
  #read(selection: Selection, take: (page: ListPage<T>) => void): Promise<void> {
    return this.#lists.run(async () => {
      const [list, { signal }] = [this.#cache.beginList(), this.#stopping];
      const own = { transform: () => list.transform(), signal, timeoutMs: MS.list };
      const options = { ...this.#member.listOptions(selection), ...own };
      const page = await this.#options.client.list(this.type, options).finally(() => list.end());
      if (!signal.aborted) take(page);
    });
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { client, type, random, clock, silenceMs = MS.silence } = this.#options;
    const { signal } = (this.#renewal = new AbortController());
    const events = client.watch(type, {
      ...this.#member.watched(),
      resourceVersion,
      timeoutSeconds: Math.round(this.#contact.times.watchSeconds * (1 + random() / 4)),
      silenceMs,
      // An open watch can still fail, so only data on it resets the number of failures.
      onOpen: () => this.#contact.heard(),
      signal,
    });
    const began = clock.monotonic();
    try {
      await takeEach(events, (event) => this.#take(event, signal));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (signal.reason instanceof NetworkError) throw signal.reason;
    await this.#pause.afterWatch(clock.monotonic() - began, signal);
  }

  #heard(): void {
    this.#pause.heard();
    this.#overflow = undefined;
    this.#contact.heard();
  }

  async #recover(error: unknown): Promise<void> {
    const { log } = this.#options;
    const where = this.namespace !== undefined && { namespace: this.namespace };
    const fields = { resource: describe(this.type), ...where, error: errorText(error) };
    if (isExpired(error) && this.#version !== undefined) {
      this.#version = undefined;
      log.debug(fields, 'resourceVersion expired, relisting');
      return this.#pause.afterExpiry();
    }
    const verb = this.#version === undefined ? 'list' : 'watch';
    const failure = this.#contact.failed(verb, error);
    if (isDenied(failure)) this.#settled.resolve(undefined);
    const failures = this.#pause.failures + 1;
    if (isSilentWatch(error) && failures === 1)
      log.debug(fields, 'no changes received, opening a new watch');
    else log.warn({ ...fields, failures }, 'list or watch failed, will retry');
    this.#overflow = isTooLarge(error) ? failure.text : undefined;
    await this.#pause.wait(retryPauseMs(error));
  }

  /** @returns whether the watch goes on */
  #take({ type, object, size = 0 }: WatchEvent<T>, signal: AbortSignal): boolean {
    if (signal.aborted) return false;
    const { namespace, resourceVersion } = object.metadata;
    this.#heard();
    this.#pause.heardEvent();
    if (namespace) this.#options.quota?.of.heard(namespace, size, this.type.plural);
    if (type === 'DELETED') this.#cache.remove(keyText(keyOf(object)));
    else if (type !== 'BOOKMARK') this.#cache.put(object);
    if (this.#version !== undefined) this.#version = resourceVersion;
    return this.#version !== undefined;
  }

  /** Forgets that the cache held a list. The next call is a list. */
  #forget(): void {
    this.#losses += 1;
    this.#hasSynced = false;
    this.#version = undefined;
  }

  /** Empties the cache because all caches together need too much memory. It is filled again later. */
  #evict(): void {
    this.#cache.clear();
    this.#forget();
    const error = outOfMemory(`keep ${this.type.plural}`);
    this.#overflow = error.message;
    this.#renewal.abort(error);
  }
}
