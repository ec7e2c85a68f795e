import type { Clock } from './clock.ts';
import type { ConnectionPool } from './connection-pool.ts';

/** Combines the abort signal of the caller with a timeout, and releases both when the request ends. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #cancel: () => void;
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
    this.#cancel = clock.after(request.timeoutMs, () => {
      this.over = true;
      this.#controller.abort(new Error('timeout'));
    });
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
