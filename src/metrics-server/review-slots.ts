/** Shares the token reviews at once between clients, so that one with many invalid tokens does not keep Prometheus from its metrics. */
import ipaddr from 'ipaddr.js';

/** Reviews at once: in all, of tokens that were not accepted lately, and of such tokens from one address. */
const REVIEWS = { all: 8, unknown: 6, address: 2 } as const;

export class ReviewSlots {
  #all = 0;
  #unknown = 0;
  /** Reviews in progress of tokens that were not accepted lately. */
  readonly #byNetwork = new Map<string, number>();

  /**
   * Takes a slot.
   * @param address remote address of the client
   * @param isTrusted whether the token was accepted lately. Such a token has one review at a time
   * @returns a function that releases the slot; undefined if none is free
   */
  take(address: string, isTrusted: boolean): (() => void) | undefined {
    if (this.#all >= REVIEWS.all) return undefined;
    const network = networkOf(address);
    if (!isTrusted && !this.#isFree(network)) return undefined;
    this.#count(network, isTrusted, 1);
    return () => this.#count(network, isTrusted, -1);
  }

  #isFree(network: string): boolean {
    return this.#unknown < REVIEWS.unknown && (this.#byNetwork.get(network) ?? 0) < REVIEWS.address;
  }

  #count(network: string, isTrusted: boolean, change: 1 | -1): void {
    this.#all += change;
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
