/**
 * Bounds what long responses and events of watches need at once: memory for their text, and the thread that parses them. The server decides how
 * long they are, and the reconciles and caches of one namespace receive hundreds at once.
 */
import { BackgroundSlots } from '../fairness/background-slots.ts';
import type { Clock } from '../time/clock.ts';
import { OPERATOR, type Origins } from '../fairness/origin.ts';
import { ParseBudgets } from '../fairness/parse-budgets.ts';
import type { ThreadShares } from '../fairness/thread-shares.ts';

/** Length from which a text is long, in bytes, and in characters when it is parsed: that takes some milliseconds. */
const LONG = 262_144;

/**
 * Number of long texts in memory at once. One of a host cluster or a control plane has at most 8 MiB. A server that sends slowly leaves room
 * to the other servers of its namespace, and a namespace to other namespaces.
 */
const AT_ONCE = { all: 8, namespace: 4, server: 2 } as const;

export interface LongResponsesOptions {
  readonly clock: Clock;
  /** Of the calls. Without it, all have the same origin. */
  readonly origins?: Pick<Origins, 'current'> | undefined;
  /**
   * Turns in which long texts are parsed, and those of a namespace that has used up its time, for an API server that is not trusted.
   * Without it, all are parsed at once.
   */
  readonly thread?: Pick<ThreadShares, 'run'>;
}

/** Begins a text, or several one after another. */
export type BeginReading = () => Reading;

export class LongResponses {
  readonly #options: LongResponsesOptions;
  readonly #slots: BackgroundSlots;
  readonly #budgets: ParseBudgets;

  constructor(options: LongResponsesOptions) {
    const { all: count, namespace: groupCount, server: tenantCount } = AT_ONCE;
    this.#options = options;
    this.#slots = new BackgroundSlots({ ...options, count, groupCount, tenantCount });
    this.#budgets = new ParseBudgets(options.clock);
  }

  /** @param server URL of an API server */
  of(server: string): BeginReading {
    const parse: Parse = (length, work, signal) => this.#parse(length, work, signal);
    return () => new Reading((signal) => this.#slot(server, signal), parse);
  }

  /** Parses a text at once, or in a turn of the thread if it is long or its namespace has used up its time. */
  #parse<T>(length: number, work: () => T, signal: AbortSignal | undefined): T | Promise<T> {
    const { thread, origins } = this.#options;
    if (thread === undefined) return work();
    const { group } = (origins?.current ?? OPERATOR).flow;
    const isAtOnce = length < LONG && this.#budgets.hasRoom(group);
    return isAtOnce
      ? this.#budgets.run(group, work)
      : thread.run(work, { ...(signal && { signal }) });
  }

  /**
   * Counts a response that its reader keeps as a whole.
   * @param characters of the response
   * @throws NetworkError when a reconcile or a namespace keeps too much
   */
  keep(characters: number, request: string): void {
    this.#options.origins?.current.reads?.add(characters, request);
  }

  #slot(tenant: string, signal: AbortSignal | undefined): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const { group } = (this.#options.origins?.current ?? OPERATOR).flow;
    const turn = { flow: { group, tenant }, ...(signal && { signal }) };
    this.#slots.run(() => new Promise<void>((free) => resolve(free)), turn).catch(reject);
    return promise;
  }
}

/** Occupies a slot. @returns a function that frees it */
type TakeSlot = (signal: AbortSignal | undefined) => Promise<() => void>;

type Parse = <T>(length: number, work: () => T, signal: AbortSignal | undefined) => T | Promise<T>;

/** A response, or an event of a watch, from its first byte until its objects are reduced. */
export class Reading {
  readonly #slot: TakeSlot;
  readonly #parse: Parse;
  #bytes = 0;
  #free: (() => void) | undefined;

  constructor(slot: TakeSlot, parse: Parse) {
    this.#slot = slot;
    this.#parse = parse;
  }

  /** Whether the text is long, so that it occupies a slot. */
  get isLong(): boolean {
    return this.#free !== undefined;
  }

  /**
   * Counts received bytes.
   * @param signal ends the wait
   * @returns a promise to wait for before more is read, if the text is long and there is no room yet. It rejects with the reason of the signal
   */
  add(bytes: number, signal?: AbortSignal): Promise<void> | undefined {
    this.#bytes += bytes;
    return this.#bytes <= LONG || this.isLong ? undefined : this.#wait(signal);
  }

  /** Parses the text, maybe in a turn of the thread. @returns a promise in that case. @throws errors of `work` */
  parse<T>(text: string, work: () => T, signal?: AbortSignal): T | Promise<T> {
    return this.#parse(text.length, work, signal);
  }

  /** Ends the text. The next byte belongs to another one. */
  end(): void {
    this.#bytes = 0;
    this.#free?.();
    this.#free = undefined;
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    this.#free = await this.#slot(signal);
  }
}

/** Without limits, for programs with few requests. */
export const unbounded: BeginReading = () =>
  new Reading(
    () => Promise.resolve(() => undefined),
    (_, work) => work(),
  );

/** Chunks of a response, as fast as there is room for them. @param add counts the bytes of a chunk, see `Reading.add` */
export async function* paced(
  chunks: AsyncIterable<Uint8Array>,
  add: (bytes: number) => Promise<void> | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const wait = add(chunk.byteLength);
    if (wait !== undefined) await wait;
    yield chunk;
  }
}
