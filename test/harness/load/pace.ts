/** Load of a server, which answers only some requests per second on demand. */

/** What the server has seen since it became slow. */
export interface ServerLoad {
  /** Requests without a response, at most. */
  readonly mostOpen: number;
  readonly answered: number;
  /** Writes of Leases, which the server always answers at once, as API Priority and Fairness does. */
  readonly renewals: number;
}

const LEASES = '/apis/coordination.k8s.io/';

interface Requested {
  readonly method: string;
  readonly url: string;
}

export class Pace {
  #perSecond = Infinity;
  #timer: NodeJS.Timeout | undefined;
  readonly #waiting = new Set<() => void>();
  #load = { mostOpen: 0, answered: 0, renewals: 0 };

  get load(): ServerLoad {
    return this.#load;
  }

  /** @param perSecond requests to answer per second from now on; Infinity for all */
  set(perSecond: number): void {
    this.#perSecond = perSecond;
    this.#load = { mostOpen: this.#waiting.size, answered: 0, renewals: 0 };
    clearInterval(this.#timer);
    if (perSecond === Infinity) for (const answer of this.#waiting) answer();
    else if (perSecond > 0) this.#timer = setInterval(() => this.#next(), 1_000 / perSecond);
  }

  /** Resolves when the request has its turn. @param cancelled aborted when the client gives up, which frees its place */
  async turn({ method, url }: Requested, cancelled: AbortSignal): Promise<void> {
    const isLease = url.startsWith(LEASES);
    if (isLease && method !== 'GET') this.#load.renewals += 1;
    const isWatch = /[?&]watch=true/.test(url);
    if (isLease || isWatch || this.#perSecond === Infinity) return;
    await new Promise<void>((resolve) => {
      const answer = (): void => {
        this.#waiting.delete(answer);
        resolve();
      };
      this.#waiting.add(answer);
      cancelled.addEventListener('abort', answer, { once: true });
      this.#load.mostOpen = Math.max(this.#load.mostOpen, this.#waiting.size);
    });
    if (!cancelled.aborted) this.#load.answered += 1;
  }

  #next(): void {
    const [first] = this.#waiting;
    first?.();
  }
}
