import type { Clock } from './clock.ts';
import type { KubernetesClient } from './contract.ts';

/** What informers need of a client. */
export interface Reader extends Pick<KubernetesClient, 'list' | 'watch'> {
  /** Monotonic milliseconds since when calls are let through; Infinity while they are not. */
  readonly askedSince?: () => number;
}

/** Holds callers back while an API server is known not to answer. */
export class Gate {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #waiting = new Set<() => void>();
  #openSince: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#openSince = clock.monotonic();
  }

  /** Monotonic milliseconds; Infinity while it is shut. */
  get openSince(): number {
    return this.#openSince;
  }

  get #shut(): boolean {
    return this.#openSince === Infinity;
  }

  /** From now on callers wait. */
  shut(): void {
    this.#openSince = Infinity;
  }

  /** Lets all callers through. */
  open(): void {
    if (this.#shut) this.#openSince = this.#clock.monotonic();
    for (const pass of this.#waiting) pass();
  }

  /** Resolves when the gate is open, or when `signal` is aborted. */
  async passed(signal?: AbortSignal): Promise<void> {
    if (!this.#shut || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const pass = (): void => {
        this.#waiting.delete(pass);
        signal?.removeEventListener('abort', pass);
        resolve();
      };
      this.#waiting.add(pass);
      signal?.addEventListener('abort', pass, { once: true });
    });
  }
}

/**
 * The client for informers, behind a gate. They retry for ever: ten of them for each dead API server would be most of
 * what the operator sends.
 * @param onFailure called when a call fails
 */
export function gated(client: Reader, gate: Gate, onFailure: () => void = () => undefined): Reader {
  return {
    askedSince: () => gate.openSince,
    async list(type, options) {
      await gate.passed(options?.signal);
      try {
        return await client.list(type, options);
      } catch (error) {
        onFailure();
        throw error;
      }
    },
    async *watch(type, options) {
      await gate.passed(options.signal);
      try {
        yield* client.watch(type, options);
      } catch (error) {
        onFailure();
        throw error;
      }
    },
  };
}
