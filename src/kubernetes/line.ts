import type { Dispatcher } from 'undici';

/**
 * Connections to one API server, and how many calls are on them. When it is no longer wanted it ends with its last call:
 * undici would first try to connect for each call that waits, one after the other, also for those that were given up.
 */
export class Line {
  readonly #dispatcher: Dispatcher;
  #calls = 0;
  #last: (() => void) | undefined;

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  /** A call begins. @returns to be called once, when nothing of the call is wanted any more */
  enter(): () => void {
    this.#calls += 1;
    return () => {
      this.#calls -= 1;
      if (this.#calls === 0) this.#last?.();
    };
  }

  /**
   * The answer's headers, with the body to be read.
   * @throws what undici does, and at once the reason of the signal when it is aborted: undici itself heeds it only when
   *   the request is on a connection, which one to a silent server never is
   */
  request(
    options: Dispatcher.RequestOptions & { readonly signal: AbortSignal },
  ): Promise<Dispatcher.ResponseData> {
    return unlessAborted(this.#dispatcher.request(options), options.signal);
  }

  /** Resolves when the last call has ended and all connections are closed; no call may begin any more. */
  async end(): Promise<void> {
    if (this.#calls > 0) await new Promise<void>((resolve) => (this.#last = resolve));
    await this.cut();
  }

  /** Closes all connections, with what is under way on them. */
  async cut(): Promise<void> {
    await this.#dispatcher.destroy().catch(() => undefined);
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
  });
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
