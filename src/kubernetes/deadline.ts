import type { Clock } from './clock.ts';
import type { Line } from './line.ts';

/** Joins the caller's signal with a timeout, and lets go of both when the request is over. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #cancel: () => void;
  readonly #forward = (): void => this.#controller.abort(this.#caller?.reason);
  over = false;
  /** What the request went to. */
  line: Line | undefined;
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

  /** A stream goes on under the caller's signal alone. */
  headersCame(): void {
    this.#cancel();
  }

  /** The request goes to this line, and is on it until `leave`. */
  enter(line: Line): void {
    this.line = line;
    this.#left = line.enter();
  }

  /** Nothing of the request is wanted any more. */
  leave(): void {
    const left = this.#left;
    this.#left = () => undefined;
    left();
  }

  clear(): void {
    this.#cancel();
    this.#caller?.removeEventListener('abort', this.#forward);
  }
}
