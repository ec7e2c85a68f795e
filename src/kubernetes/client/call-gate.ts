import { openedLater } from '../time/async-values.ts';
import type { Clock } from '../time/clock.ts';
import type { KubernetesClient } from './client-interface.ts';

/** Client for informers. */
export interface Reader extends Pick<KubernetesClient, 'list' | 'watch'> {
  /** Monotonic time in milliseconds since which calls are allowed; Infinity while they are blocked. */
  readonly askedSince?: () => number;
}

/** Blocks calls while an API server is known to be unreachable. */
export class CallGate {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #waiting = new Set<() => void>();
  #openSince: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#openSince = clock.monotonic();
  }

  /** Monotonic time in milliseconds since which the gate is open; Infinity while it is shut. */
  get openSince(): number {
    return this.#openSince;
  }

  get #shut(): boolean {
    return this.#openSince === Infinity;
  }

  /** Blocks callers until `open`. */
  shut(): void {
    this.#openSince = Infinity;
  }

  /** Releases all waiting callers. */
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
 * Wraps a client for informers with a gate. Informers retry without limit, so the ten informers of each unreachable API
 * server would otherwise send most of the requests of the operator.
 * @param onFailure called when a call fails
 */
export function gated(
  client: Reader,
  gate: CallGate,
  onFailure: () => void = () => undefined,
): Reader {
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
    watch: (type, options) =>
      openedLater(async () => {
        await gate.passed(options.signal);
        return client.watch(type, options)[Symbol.asyncIterator]();
      }, onFailure),
  };
}
