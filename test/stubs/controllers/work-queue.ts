/** Work of a controller by key: one run per key at a time, repeated if something changed meanwhile. */

const RETRY_MS = 100;

export class WorkQueue {
  readonly #sync: (key: string) => void | Promise<void>;
  readonly #pending = new Set<string>();
  readonly #running = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  /** @param sync is repeated if it fails */
  constructor(sync: (key: string) => void | Promise<void>) {
    this.#sync = sync;
  }

  add(key: string): void {
    if (this.#stopped || this.#pending.has(key)) return;
    this.#pending.add(key);
    if (!this.#running.has(key)) setImmediate(() => void this.#run(key));
  }

  addAfter(key: string, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.add(key);
    }, ms);
    this.#timers.add(timer);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #run(key: string): Promise<void> {
    if (this.#stopped || !this.#pending.delete(key)) return;
    this.#running.add(key);
    try {
      await this.#sync(key);
    } catch {
      // Such as a conflict with another writer, or an API server that does not answer.
      if (!this.#stopped) this.addAfter(key, RETRY_MS);
    } finally {
      this.#running.delete(key);
      if (this.#pending.has(key)) setImmediate(() => void this.#run(key));
    }
  }
}
