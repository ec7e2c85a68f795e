import type { Dispatcher } from 'undici';
import type { Clock } from '../time/clock.ts';
import { unlessAborted } from '../time/unless-aborted.ts';
import { within } from '../time/within.ts';

/** Time for connections to close, in milliseconds. */
const CLOSE_MS = 1_000;

/**
 * Connection pool of one API server with a count of active calls. After `end` it closes with the last active call. It
 * does not use the close function of undici, which would dial for each queued call in turn, even for aborted ones.
 */
export class ConnectionPool {
  readonly #dispatcher: Dispatcher;
  readonly #clock: Pick<Clock, 'after'>;
  #calls = 0;
  #last: (() => void) | undefined;

  constructor(dispatcher: Dispatcher, clock: Pick<Clock, 'after'>) {
    this.#dispatcher = dispatcher;
    this.#clock = clock;
  }

  /** Registers a call. @returns a function to call exactly once when the call has ended */
  acquire(): () => void {
    this.#calls += 1;
    return () => {
      this.#calls -= 1;
      if (this.#calls === 0) this.#last?.();
    };
  }

  /**
   * Sends a request and returns the headers of the response; the caller reads the body.
   * @throws errors of undici; the reason of the signal immediately after an abort. undici checks the signal only after
   *   the request has a connection, which never happens if the server does not respond
   */
  request(
    options: Dispatcher.RequestOptions & { readonly signal: AbortSignal },
  ): Promise<Dispatcher.ResponseData> {
    return unlessAborted(this.#dispatcher.request(options), options.signal);
  }

  /** Waits for the last active call and closes all connections. No new call may start. */
  async drain(): Promise<void> {
    if (this.#calls > 0) await new Promise<void>((resolve) => (this.#last = resolve));
    await this.destroy();
  }

  /**
   * Closes all connections immediately and aborts active calls. TLS on a stream that is no socket may never report its close, if the
   * server resets the connection at the same moment; a reconcile waits for this.
   */
  async destroy(): Promise<void> {
    const ended = this.#dispatcher.destroy().catch(() => undefined);
    await within(this.#clock, CLOSE_MS, ended);
  }
}
