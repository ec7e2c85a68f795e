import type { Clock } from '../time/clock.ts';
import type { ConnectionPool } from './connection-pool.ts';

/** Combines the abort signal of the caller with a timeout, and releases both when the request ends. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #clock: Clock;
  #cancel: () => void = () => undefined;
  /** Remaining time when the timer started, in milliseconds. */
  #leftMs: number;
  #startedAt = 0;
  readonly #forward = (): void => this.#controller.abort(this.#caller?.reason);
  /** Whether the timeout has passed. */
  over = false;
  /** Connection pool of the request. */
  line: ConnectionPool | undefined;
  #left: () => void = () => undefined;

  constructor(
    clock: Clock,
    request: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ) {
    this.#caller = request.signal;
    this.#caller?.addEventListener('abort', this.#forward, { once: true });
    if (this.#caller?.aborted === true) this.#forward();
    this.#clock = clock;
    this.#leftMs = request.timeoutMs;
    this.#start();
  }

  #start(): void {
    this.#startedAt = this.#clock.monotonic();
    this.#cancel = this.#clock.after(this.#leftMs, () => {
      this.over = true;
      this.#controller.abort(new Error('timeout'));
    });
  }

  /** Stops the time while the request waits for the operator, and not for the server. @throws errors of `wait` */
  async paused(wait: Promise<void>): Promise<void> {
    this.#cancel();
    this.#leftMs -= this.#clock.monotonic() - this.#startedAt;
    await wait;
    this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  throwIfOver(): void {
    this.#controller.signal.throwIfAborted();
  }

  /** Cancels the timeout when the headers of a stream arrive. Only the signal of the caller remains. */
  headersCame(): void {
    this.#cancel();
  }

  /** Assigns the request to a connection pool until `leave`. */
  enter(line: ConnectionPool): void {
    this.line = line;
    this.#left = line.acquire();
  }

  /** Releases the connection pool when the request ends. */
  leave(): void {
    const left = this.#left;
    this.#left = () => undefined;
    left();
  }

  /** Cancels the timeout and stops listening to the signal of the caller. */
  clear(): void {
    this.#cancel();
    this.#caller?.removeEventListener('abort', this.#forward);
  }
}
