/** Which objects have calls that wait for a rate limit, over all limiters of the process. */
export class LimiterWaits {
  readonly #counts = new Map<string, number>();

  /** @param key object of the call @returns a function to call once when the wait is over */
  begin(key: string): () => void {
    this.#counts.set(key, this.#count(key) + 1);
    return () => {
      const count = this.#count(key) - 1;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    };
  }

  has(key: string): boolean {
    return this.#counts.has(key);
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}
