/**
 * Limits what one namespace may have in the caches of a cluster. A namespace that exceeds a limit is dropped: its objects
 * leave all caches, and the API server sends no further ones. Later the operator reads it again.
 */
import { backoffMs, type Clock, type Log, type Random } from '../../time/clock.ts';
import { Amounts, type Amount } from './amount.ts';
import type { CacheMemory, MemoryShare } from './cache-memory.ts';
import { ListMeter, type ListMeterOptions } from './list-meter.ts';
import { endShare, excluding, newEntry, UNKNOWN, type NamespaceEntry } from './namespace-entry.ts';
import { exceeded, NO_MEMORY, QUOTA_LIMITS, type QuotaLimits } from './quota-limits.ts';

/** A cache with objects of several namespaces. */
export interface QuotaCache {
  /** Removes the objects of a namespace. */
  drop(namespace: string): void;
  /** Reads the objects of a namespace that were left out. Resolves also if the namespace is dropped meanwhile. */
  load(namespace: string): Promise<void>;
}

export interface CacheQuotaOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly memory?: CacheMemory;
  readonly limits?: QuotaLimits;
}

/** A dropped namespace is read again after this time, which doubles each time. */
const RETRY = { base: 60_000, max: 1_800_000 };
/** After this time without being dropped, a namespace begins with the shortest retry, in milliseconds. */
const FORGET_MS = 7_200_000;
/** Time that reading a namespace may take without being reported, in milliseconds. */
const READ_TIMEOUT_MS = 15_000;
/** Namespaces whose watch events are counted within a window. */
const MAX_WATCHED = 20_000;
/** Dropped namespaces without a Karmada object that are remembered. */
const MAX_UNUSED = 1_000;

export class CacheQuota {
  readonly #options: CacheQuotaOptions;
  readonly #limits: QuotaLimits;
  readonly #entries = new Map<string, NamespaceEntry>();
  readonly #caches: QuotaCache[] = [];
  readonly #cached = new Amounts();
  #watched = new Amounts();
  #windowSince = -Infinity;
  #isStarted = false;
  /** How many namespaces were dropped so far, each time counted. */
  drops = 0;
  #onChange: (namespace: string) => void = () => undefined;

  constructor(options: CacheQuotaOptions) {
    this.#options = options;
    this.#limits = options.limits ?? QUOTA_LIMITS;
  }

  register(cache: QuotaCache): void {
    this.#caches.push(cache);
  }

  /** Calls `handler` when a namespace is dropped, or when it is complete again. */
  onChange(handler: (namespace: string) => void): void {
    this.#onChange = handler;
  }

  /** Call it when the first lists begin. They contain the namespaces that were admitted before. */
  start(): void {
    this.#isStarted = true;
  }

  /** Adds a Karmada object of a namespace. The first one makes the caches keep the objects of the namespace. */
  admit(namespace: string): void {
    const entry = this.#entryOf(namespace);
    entry.karmadas += 1;
    if (entry.state !== 'unused') return;
    if (this.#isStarted) void this.#load(namespace, entry);
    else entry.state = 'kept';
  }

  /** Removes a Karmada object of a namespace. The caches leave out the namespace after the last one. */
  release(namespace: string): void {
    const entry = this.#entries.get(namespace);
    if (entry === undefined) return;
    entry.karmadas -= 1;
    if (entry.karmadas > 0 || entry.state === 'dropped') return;
    entry.state = 'unused';
    for (const cache of this.#caches) cache.drop(namespace);
    this.#forgetIfEmpty(namespace, entry);
  }

  /** Whether the caches keep the objects of a namespace. */
  keeps(namespace: string): boolean {
    const { state, karmadas } = this.#entries.get(namespace) ?? UNKNOWN;
    return karmadas > 0 && state !== 'dropped';
  }

  /** Whether the objects of a namespace must not be read. */
  isDropped(namespace: string): boolean {
    return this.#entries.get(namespace)?.state === 'dropped';
  }

  /** Whether also caches that keep all namespaces lack its objects: it was dropped, and is not complete again. */
  isLimited(namespace: string): boolean {
    return this.#entries.get(namespace)?.excess !== undefined;
  }

  /** Whether the caches have all objects of a namespace with Karmada objects. */
  isComplete(namespace: string): boolean {
    return this.#entries.get(namespace)?.state === 'kept';
  }

  /**
   * Why the caches lack objects of a namespace, as constant text; undefined if they do not, or if the objects are being
   * read for a short time only.
   */
  problemOf(namespace: string): string | undefined {
    const { state, excess, loadingSince } = this.#entries.get(namespace) ?? UNKNOWN;
    if (excess !== undefined)
      return `they exceed a limit of the operator for one namespace: ${excess}`;
    const age = this.#options.clock.monotonic() - loadingSince;
    return state === 'loading' && age >= READ_TIMEOUT_MS ? 'it is still reading them' : undefined;
  }

  /** Limit of one list of all namespaces, in characters. */
  get listBytes(): number {
    return this.#limits.listed.all;
  }

  /** Dropped namespaces, for metrics and for messages. */
  get dropped(): readonly string[] {
    return [...this.#entries].flatMap(([name, { excess }]) => (excess === undefined ? [] : name));
  }

  /** Field selector that excludes dropped namespaces, see `excluding`. */
  fieldSelector(cause?: string): string | undefined {
    return excluding(this.#entries, cause);
  }

  /** Adds objects to the caches, or removes them if the amount is negative. The namespace may be dropped. */
  add(namespace: string, amount: Amount, resource: string): void {
    const entry = this.#entryOf(namespace);
    if (entry.state === 'dropped') return;
    const now = this.#cached.add(namespace, amount);
    const excess = exceeded(now, this.#limits.cached, entry.karmadas);
    if (excess !== undefined) return this.#drop(namespace, resource, `more than ${excess}`);
    this.#shareOf(namespace, resource)?.add(amount.bytes);
    this.#forgetIfEmpty(namespace, entry);
  }

  /** Counts the objects of one list. @param cachedBytes see `ListMeterOptions` */
  meter(resource: string, cachedBytes: ListMeterOptions['cachedBytes']): ListMeter {
    return new ListMeter({
      limits: this.#limits,
      cachedBytes,
      karmadasIn: (namespace) => (this.#entries.get(namespace) ?? UNKNOWN).karmadas,
      shareOf: (name) => (this.keeps(name) ? this.#shareOf(name, resource) : undefined),
      drop: (namespace, excess) => this.#drop(namespace, resource, excess),
    });
  }

  /** Counts a watch event. If all events together are too many, the namespace may be dropped. */
  heard(namespace: string, bytes: number, resource: string): void {
    const { watched: limit } = this.#limits;
    const now = this.#options.clock.monotonic();
    if (now - this.#windowSince > limit.windowMs) {
      this.#watched = new Amounts();
      this.#windowSince = now;
    }
    if (this.#watched.size >= MAX_WATCHED) return;
    const amount = this.#watched.add(namespace, { bytes, objects: 1 });
    if (this.#watched.total.bytes <= limit.all) return;
    const { karmadas } = this.#entries.get(namespace) ?? UNKNOWN;
    const excess = exceeded(amount, limit, karmadas);
    if (excess === undefined) return;
    this.#watched.delete(namespace);
    const seconds = String(limit.windowMs / 1_000);
    this.#drop(namespace, resource, `more than ${excess} of changes within ${seconds} s`);
  }

  /** Stops all retries, and ends all shares of the memory. The caches are not used any more. */
  close(): void {
    for (const entry of this.#entries.values()) {
      entry.cancelRetry();
      endShare(entry);
    }
  }

  #entryOf(namespace: string): NamespaceEntry {
    const known = this.#entries.get(namespace) ?? newEntry();
    this.#entries.set(namespace, known);
    return known;
  }

  #shareOf(namespace: string, resource: string): MemoryShare | undefined {
    const entry = this.#entryOf(namespace);
    const release = (): void => this.#drop(namespace, resource, NO_MEMORY);
    entry.share ??= this.#options.memory?.open(release, namespace);
    return entry.share;
  }

  #drop(namespace: string, resource: string, text: string): void {
    const { clock, random, log } = this.#options;
    const entry = this.#entryOf(namespace);
    if (entry.state === 'dropped') return;
    this.drops += 1;
    Object.assign(entry, { state: 'dropped', resource });
    entry.excess ??= `${resource}: ${text}`;
    const { excess } = entry;
    for (const cache of this.#caches) cache.drop(namespace);
    this.#cached.delete(namespace);
    endShare(entry);
    const now = clock.monotonic();
    entry.drops = now - entry.droppedAt > FORGET_MS ? 0 : entry.drops + 1;
    entry.droppedAt = now;
    const retryInMs = backoffMs(entry.drops, RETRY, random);
    log.warn({ namespace, excess, retryInMs }, 'namespace exceeds a limit, dropping its objects');
    entry.cancelRetry();
    entry.cancelRetry = clock.after(retryInMs, () => void this.#load(namespace, entry));
    this.#forgetUnused();
    this.#onChange(namespace);
  }

  #forgetIfEmpty(namespace: string, { state, karmadas, share }: NamespaceEntry): void {
    if (state !== 'unused' || karmadas > 0 || this.#cached.get(namespace).objects > 0) return;
    share?.close();
    this.#entries.delete(namespace);
  }

  async #load(namespace: string, entry: NamespaceEntry): Promise<void> {
    entry.state = 'loading';
    entry.loadingSince = this.#options.clock.monotonic();
    await Promise.all(this.#caches.map((cache) => cache.load(namespace)));
    if (entry.state !== 'loading' || this.#entries.get(namespace) !== entry) return;
    entry.state = entry.karmadas > 0 ? 'kept' : 'unused';
    entry.excess = undefined;
    this.#forgetIfEmpty(namespace, entry);
    this.#onChange(namespace);
  }

  /** Forgets the oldest dropped namespaces without a Karmada object, so that their number is limited. */
  #forgetUnused(): void {
    const unused = [...this.#entries].filter(
      ([, { karmadas, state }]) => karmadas === 0 && state === 'dropped',
    );
    for (const [namespace, { cancelRetry }] of unused.slice(0, -MAX_UNUSED)) {
      cancelRetry();
      this.#entries.delete(namespace);
    }
  }
}
