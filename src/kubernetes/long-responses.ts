/**
 * Bounds what long responses and events of watches need at once: memory for their text, and the thread that parses them. The server decides how
 * long they are, and the reconciles and caches of one namespace receive hundreds at once.
 */
import { BackgroundSlots } from './background-slots.ts';
import type { Clock } from './clock.ts';
import { OPERATOR, type Origins } from './origin.ts';
import type { ThreadShares } from './thread-shares.ts';

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
  /** Turns in which long texts are parsed, for an API server that is not trusted. Without it, they are parsed at once. */
  readonly thread?: Pick<ThreadShares, 'run'>;
}

/** Begins a text, or several one after another. */
export type BeginReading = () => Reading;

export class LongResponses {
  readonly #options: LongResponsesOptions;
  readonly #slots: BackgroundSlots;

  constructor(options: LongResponsesOptions) {
    const { all: count, namespace: groupCount, server: tenantCount } = AT_ONCE;
    this.#options = options;
    this.#slots = new BackgroundSlots({ ...options, count, groupCount, tenantCount });
  }

  /** @param server URL of an API server */
  of(server: string): BeginReading {
    return () => new Reading((signal) => this.#slot(server, signal), this.#options.thread);
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

/** A response, or an event of a watch, from its first byte until its objects are reduced. */
export class Reading {
  readonly #slot: TakeSlot;
  readonly #thread: LongResponsesOptions['thread'];
  #bytes = 0;
  #free: (() => void) | undefined;

  constructor(slot: TakeSlot, thread: LongResponsesOptions['thread']) {
    this.#slot = slot;
    this.#thread = thread;
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

  /** Parses the text, in a turn of the thread if it is long. @returns a promise in that case. @throws errors of `work` */
  parse<T>(text: string, work: () => T, signal?: AbortSignal): T | Promise<T> {
    if (this.#thread === undefined || text.length < LONG) return work();
    return this.#thread.run(work, { ...(signal && { signal }) });
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
  new Reading(() => Promise.resolve(() => undefined), undefined);

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
