/** Part of an informer that follows the quota of its cluster: which namespaces it reads. */
import { backoffMs, sleep } from '../time/clock.ts';
import type { CacheQuota, QuotaCache } from './cache-quota/cache-quota.ts';
import type { ListOptions, ListPage, Selection } from '../client/client-interface.ts';
import { errorText } from '../client/errors.ts';
import type { InformerCache } from './informer-cache.ts';
import type { InformerOptions } from './informer-options.ts';
import { selectionIn } from '../client/list.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { describe } from '../objects/resources.ts';
import { TermEndedError } from '../time/term.ts';

/** What a member uses of its informer. */
export interface MemberOptions<T extends KubernetesObject> {
  readonly options: InformerOptions<T>;
  readonly cache: InformerCache<T>;
  /** Lists objects, and passes them to `take`. */
  readonly read: (selection: Selection, take: (page: ListPage<T>) => void) => Promise<void>;
  /** Ends the present watch, for one with another selection. */
  readonly renew: () => void;
  /** Makes the next call a list. */
  readonly empty: () => void;
  /** Whether the informer sends calls, or will: the kinds of backups may not be installed. */
  readonly isStarted: () => boolean;
  /** Resolves when a complete list is in the cache, or the API server denies access. */
  readonly settled: Promise<void>;
  /** Aborted when the informer stops. */
  readonly signal: AbortSignal;
}

const BACKOFF = { base: 250, max: 10_000 };

export class QuotaMember<T extends KubernetesObject> implements QuotaCache {
  readonly #given: MemberOptions<T>;
  readonly #quota: CacheQuota | undefined;
  /** Namespace of an informer that watches a single one. */
  readonly #only: string | undefined;
  /** Field selector of the present watch. */
  #excluded: string | undefined;
  #resume: () => void = () => undefined;
  /** Present after the single namespace was dropped, until it is read again. Resolves then, or when it is dropped again. */
  #refill: PromiseWithResolvers<undefined> | undefined;

  constructor(given: MemberOptions<T>) {
    this.#given = given;
    this.#quota = given.options.quota?.of;
    this.#only = given.options.namespace;
    if (this.#quota === undefined) return;
    this.#quota.register(this);
    given.signal.addEventListener('abort', () => this.#resume(), { once: true });
  }

  /** Whether the single namespace is dropped. Then the informer sends no calls, and what it lacks is reported elsewhere. */
  get isHeld(): boolean {
    return this.#only !== undefined && this.#quota?.isDropped(this.#only) === true;
  }

  /** Resolves when the single namespace is read again, or when the informer stops. */
  resumed(): Promise<void> {
    return new Promise((resolve) => (this.#resume = resolve));
  }

  /** Objects to read, without those of dropped namespaces. */
  get selection(): Selection {
    const { options } = this.#given;
    // A dropped namespace may get Karmada objects, whose status reports the limit.
    const cause = options.quota?.isAdmitting === true ? options.type.plural : undefined;
    const excluded = this.#only === undefined ? this.#quota?.fieldSelector(cause) : undefined;
    const all = [options.fieldSelector, excluded].filter((selector) => selector !== undefined);
    return { ...selectionIn(options), ...(all.length > 0 && { fieldSelector: all.join(',') }) };
  }

  /** Options of a list. @param more selects fewer objects */
  listOptions(more: Selection): ListOptions<T> {
    const { options } = this.#given;
    const { pageSize } = options;
    return {
      ...this.selection,
      ...more,
      ...(pageSize !== undefined && { pageSize }),
      // The quota limits each namespace instead.
      ...(this.#quota && { maxBytes: Infinity }),
    };
  }

  /** Objects of a new watch. */
  watched(): Selection {
    const { selection } = this;
    this.#excluded = selection.fieldSelector;
    return selection;
  }

  /** Records that a complete list is in the cache. */
  filled(): void {
    this.#refill?.resolve(undefined);
    this.#refill = undefined;
  }

  drop(namespace: string): void {
    const { cache, renew, empty } = this.#given;
    cache.drop(namespace);
    if (this.#quota?.isDropped(namespace) !== true) return;
    if (this.#only === namespace) {
      this.#refill?.resolve(undefined);
      this.#refill = Promise.withResolvers();
      empty();
      renew();
    } else if (this.#excluded !== this.selection.fieldSelector) renew();
  }

  async load(namespace: string): Promise<void> {
    const { cache, renew, settled, isStarted } = this.#given;
    if (this.#only !== undefined && this.#only !== namespace) return;
    // The first list contains the namespace.
    if (!isStarted()) return;
    if (this.#refill !== undefined) {
      this.#resume();
      await this.#refill.promise;
      return;
    }
    // Events about the namespace arrive again before it is listed, so that no change is missed.
    if (this.#excluded !== this.selection.fieldSelector) renew();
    await settled;
    if (cache.hasLeftOut(namespace)) await this.#loadUntilDone(namespace);
  }

  async #loadUntilDone(namespace: string): Promise<void> {
    const { cache, read, signal, options } = this.#given;
    const { clock, random, log, type } = options;
    for (let failures = 0; !signal.aborted && !this.#quota?.isDropped(namespace); failures += 1)
      try {
        await cache.read(namespace, (take) => read({ namespace }, take));
        return;
      } catch (error) {
        if (error instanceof TermEndedError) return;
        const fields = { resource: describe(type), namespace, error: errorText(error) };
        log.warn(fields, 'list of a namespace failed, will retry');
        await sleep(clock, backoffMs(failures, BACKOFF, random), signal);
      }
  }
}
