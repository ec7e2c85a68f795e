import type { Clock } from './clock.ts';

/** The server's seconds have begun at some time before the answer was sent, and the way back takes its time. */
const TOLERANCE_MS = 5_000;
const SECOND_MS = 1_000;

/**
 * The wall clock of an API server, as the Date of its answers tells it (RFC 9110, 6.6.1). Times in objects are the
 * server's or the nodes', and certificates are checked by pods on the nodes: a process whose own clock is wrong would
 * take what has just begun for overdue, and issue certificates that nobody accepts yet.
 *
 * Until a first answer has come, and as long as both agree, it is the clock that it was made from. Between two answers
 * it goes on with the monotonic clock, so that a jump of the machine's clock is no jump of this one.
 */
export class ServerClock implements Clock {
  readonly #own: Clock;
  readonly #corrected: (aheadMs: number) => void;
  #anchor: { readonly wall: number; readonly monotonic: number };

  /** @param corrected told by how many milliseconds the machine's clock is ahead, each time another time is taken */
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

  /** By how many milliseconds the machine's clock is ahead of this one; below zero when it is behind. */
  aheadMs(): number {
    return this.#own.wall() - this.wall();
  }

  /**
   * Takes the time that an answer tells, when this clock cannot have shown it between request and answer.
   * @param date header of the answer; what is no date is ignored
   * @param sentAt when its request was sent, of the monotonic clock
   */
  hear(date: string, sentAt: number): void {
    const told = Date.parse(date);
    const [wall, monotonic] = [this.wall(), this.#own.monotonic()];
    const behind = told - wall;
    const ahead = wall - (monotonic - sentAt) - (told + SECOND_MS);
    if (Math.max(behind, ahead) <= TOLERANCE_MS || !isHttpDate(date, told)) return;
    this.#anchor = { wall: told + SECOND_MS / 2, monotonic };
    this.#corrected(this.aheadMs());
  }
}

/** Of the formats that HTTP knows the one that servers send; JavaScript would make a date of almost anything. */
const isHttpDate = (date: string, told: number): boolean =>
  !Number.isNaN(told) && new Date(told).toUTCString() === date;
