/** Observes the Karmada objects of a stub cluster: when each becomes Ready, and whether one is no longer Ready. */
import type { Karmada } from '../../../src/api/karmada.ts';
import { saysReady } from '../../harness/is-ready.ts';
import type { Store, StoreEvent } from '../api/store.ts';

const KARMADAS = 'operator.karmada.io/karmadas';

interface Observed {
  readonly createdMs: number;
  isReady: boolean;
}

export interface ReadinessSample {
  readonly total: number;
  readonly ready: number;
  /** Changes of Ready from True to another value since the last reset. */
  readonly lost: number;
  /** Changes of a status since the last reset. */
  readonly statusChanges: number;
  /** Milliseconds from the creation of each Karmada object until its control plane was Ready for the first time. */
  readonly timesMs: readonly number[];
}

export class Readiness {
  readonly #now: () => number;
  readonly #observed = new Map<string, Observed>();
  readonly #timesMs = new Map<string, number>();
  #lost = 0;
  #statusChanges = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(store: Store, now: () => number) {
    this.#now = now;
    store.subscribe((resource, event) => {
      if (resource === KARMADAS) this.#note(event);
    });
  }

  get sample(): ReadinessSample {
    const all = [...this.#observed.values()];
    return {
      total: all.length,
      ready: all.filter(({ isReady }) => isReady).length,
      lost: this.#lost,
      statusChanges: this.#statusChanges,
      timesMs: [...this.#timesMs.values()],
    };
  }

  reset(): void {
    this.#lost = 0;
    this.#statusChanges = 0;
  }

  #note({ type, object, previous }: StoreEvent): void {
    const { namespace = '', name } = object.metadata;
    const key = `${namespace}/${name}`;
    if (type === 'DELETED') return void this.#observed.delete(key);
    const known = this.#observed.get(key) ?? { createdMs: this.#now(), isReady: false };
    const isReady = saysReady(object as unknown as Karmada);
    if (known.isReady && !isReady) this.#lost += 1;
    if (previous !== undefined && previous['status'] !== object['status']) this.#statusChanges += 1;
    if (isReady && !this.#timesMs.has(key)) this.#timesMs.set(key, this.#now() - known.createdMs);
    this.#observed.set(key, { ...known, isReady });
  }
}
