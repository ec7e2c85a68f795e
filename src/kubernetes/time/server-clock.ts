import type { Clock } from './clock.ts';
import { parseTime } from './time.ts';

/** Tolerated skew in milliseconds. The Date header only has seconds, and the response takes time to arrive. */
const TOLERANCE_MS = 5_000;
const SECOND_MS = 1_000;

/**
 * Wall clock of an API server, derived from the Date header of its responses (RFC 9110, 6.6.1). Times in objects come
 * from the API server or the nodes, and Pods on the nodes verify certificates. A process with a skewed clock would
 * treat new objects as overdue, and would issue certificates that are not valid yet.
 *
 * This clock follows the local clock until the first response, and as long as both agree. Between two responses it
 * follows the monotonic clock, so a jump of the local clock does not affect it.
 */
export class ServerClock implements Clock {
  readonly #own: Clock;
  readonly #corrected: (aheadMs: number) => void;
  #anchor: { readonly wall: number; readonly monotonic: number };

  /** @param corrected called after each correction with the skew of the local clock in milliseconds */
  constructor(own: Clock, corrected: (aheadMs: number) => void) {
    this.#own = own;
    this.#corrected = corrected;
    this.#anchor = { wall: own.wall(), monotonic: own.monotonic() };
  }

  wall(): number {
    return this.#anchor.wall + this.#own.monotonic() - this.#anchor.monotonic;
  }

  monotonic(): number {
    return this.#own.monotonic();
  }

  after(ms: number, action: () => void): () => void {
    return this.#own.after(ms, action);
  }

  /** Skew in milliseconds: positive if the local clock is ahead of this one, negative if it is behind. */
  aheadMs(): number {
    return this.#own.wall() - this.wall();
  }

  /**
   * Corrects this clock if the Date of a response is outside the time between request and response, plus tolerance.
   * @param date Date header of the response; invalid dates are ignored
   * @param sentAt monotonic time of the request in milliseconds
   */
  hear(date: string, sentAt: number): void {
    const serverTime = parseTime(date);
    const [wall, monotonic] = [this.wall(), this.#own.monotonic()];
    const behind = serverTime - wall;
    const ahead = wall - (monotonic - sentAt) - (serverTime + SECOND_MS);
    if (Math.max(behind, ahead) <= TOLERANCE_MS || !isHttpDate(date, serverTime)) return;
    this.#anchor = { wall: serverTime + SECOND_MS / 2, monotonic };
    this.#corrected(this.aheadMs());
  }
}

/** Whether the text has the date format that HTTP servers must send; Date.parse accepts many other formats. */
const isHttpDate = (date: string, serverTime: number): boolean =>
  !Number.isNaN(serverTime) && new Date(serverTime).toUTCString() === date;
