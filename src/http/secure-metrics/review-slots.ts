/** Shares the token reviews at once between clients, so that one with many invalid tokens does not keep Prometheus from its metrics. */
import ipaddr from 'ipaddr.js';
import { keepNewest } from './recent-verdicts.ts';

/** Reviews at once that share slots: in all, of tokens that were not accepted lately, and of such tokens from one network. */
const SHARED = { all: 8, unknown: 6, network: 2 } as const;
/** Networks with a slot of their own: those from which a token was accepted last. More clients than this do not scrape an operator. */
const MAX_KNOWN = 8;
/** Time for which a network has this slot after an accepted token, in milliseconds. Prometheus scrapes more often. */
const KNOWN_MS = 600_000;

/** Client that wants a review. */
interface Reviewed {
  /** Remote address of the client. */
  readonly address: string;
  /** Whether the token was accepted lately. Such a token has one review at a time. */
  readonly isTrusted: boolean;
  /** Monotonic milliseconds. */
  readonly now: number;
}

/**
 * Slots of reviews. A network from which a token was accepted lately has a slot of its own, for one review at a time: the tokens of a
 * ServiceAccount rotate about hourly, and the next one is unknown.
 */
export class ReviewSlots {
  #shared = 0;
  #unknown = 0;
  /** Reviews in progress of tokens that were not accepted lately, in shared slots. */
  readonly #byNetwork = new Map<string, number>();
  /** Time of the last accepted token by network, oldest first. */
  readonly #known = new Map<string, number>();
  /** Networks whose own slot is in use. */
  readonly #own = new Set<string>();

  /** Takes a slot. @returns a function that releases the slot; undefined if none is free */
  take({ address, isTrusted, now }: Reviewed): (() => void) | undefined {
    const network = networkOf(address);
    return this.#takeShared(network, isTrusted) ?? this.#takeOwn(network, now);
  }

  /** Notes that a token of a client was accepted. @param now monotonic milliseconds */
  accepted(address: string, now: number): void {
    keepNewest(this.#known, [networkOf(address), now], MAX_KNOWN);
  }

  #takeShared(network: string, isTrusted: boolean): (() => void) | undefined {
    if (this.#shared >= SHARED.all || !(isTrusted || this.#isFree(network))) return undefined;
    this.#count(network, isTrusted, 1);
    return () => this.#count(network, isTrusted, -1);
  }

  #takeOwn(network: string, now: number): (() => void) | undefined {
    const at = this.#known.get(network);
    if (at === undefined || now >= at + KNOWN_MS || this.#own.has(network)) return undefined;
    this.#own.add(network);
    return () => this.#own.delete(network);
  }

  #isFree(network: string): boolean {
    const inNetwork = this.#byNetwork.get(network) ?? 0;
    return this.#unknown < SHARED.unknown && inNetwork < SHARED.network;
  }

  #count(network: string, isTrusted: boolean, change: 1 | -1): void {
    this.#shared += change;
    if (isTrusted) return;
    this.#unknown += change;
    const count = (this.#byNetwork.get(network) ?? 0) + change;
    if (count === 0) this.#byNetwork.delete(network);
    else this.#byNetwork.set(network, count);
  }
}

/** An IPv4 address, or the /64 network of an IPv6 address: one client can have all addresses of that network. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  return bytes.slice(0, 8).join('.');
}
