import type { Dispatcher } from 'undici';
import type { Clock } from './clock.ts';

/** Joins the caller's signal with a timeout, and lets go of both when the request is over. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #cancel: () => void;
  readonly #forward = (): void => this.#controller.abort(this.#caller?.reason);
  over = false;
  /** The agent that the request went to. */
  dispatcher: Dispatcher | undefined;

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

  /** A stream goes on under the caller's signal alone. */
  headersCame(): void {
    this.#cancel();
  }

  clear(): void {
    this.#cancel();
    this.#caller?.removeEventListener('abort', this.#forward);
  }
}
