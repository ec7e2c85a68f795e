/** Observes the Karmada objects of a stub cluster: when each becomes Ready, and whether one is no longer Ready. */
import type { Karmada } from '../../../src/api/karmada.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { isEqual } from '../api/json.ts';
import type { Store, StoreEvent } from '../api/store.ts';

/** Resource of Karmada objects in a store. */
export const KARMADAS = 'operator.karmada.io/karmadas';

interface Observed {
  readonly createdMs: number;
  readonly isReady: boolean;
  /** Whether it was Ready at any time. */
  readonly wasReady: boolean;
}

export interface ReadinessSample {
  readonly total: number;
  readonly ready: number;
  /** Changes of Ready from True to another value since the last reset. */
  readonly lost: number;
  /** Changes of a status since the last reset. */
  readonly statusChanges: number;
  /** Milliseconds from the first and from the last creation since the last reset until the last control plane was Ready. */
  readonly sinceFirstMs: number;
  readonly sinceLastMs: number;
  /** Milliseconds from the creation of each Karmada object until its control plane was Ready for the first time, if that was since the last reset. */
  readonly timesMs: readonly number[];
}

export class Readiness {
  readonly #now: () => number;
  readonly #observed = new Map<string, Observed>();
  readonly #timesMs = new Map<string, number>();
  /** Times of creations and of the first Ready of each, since the last reset. */
  #createdMs: number[] = [];
  #readyMs: number[] = [];
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
    const lastReady = this.#readyMs.at(-1) ?? 0;
    return {
      sinceFirstMs: Math.max(0, lastReady - (this.#createdMs[0] ?? lastReady)),
      sinceLastMs: Math.max(0, lastReady - (this.#createdMs.at(-1) ?? lastReady)),
      total: all.length,
      ready: all.filter(({ isReady }) => isReady).length,
      lost: this.#lost,
      statusChanges: this.#statusChanges,
      timesMs: [...this.#timesMs.values()],
    };
  }

  reset(): void {
    this.#createdMs = [];
    this.#readyMs = [];
    this.#timesMs.clear();
    this.#lost = 0;
    this.#statusChanges = 0;
  }

  #note({ type, object, previous }: StoreEvent): void {
    const { namespace = '', name } = object.metadata;
    const key = `${namespace}/${name}`;
    if (type === 'DELETED') return void this.#observed.delete(key);
    if (previous !== undefined && !isEqual(previous['status'], object['status']))
      this.#statusChanges += 1;
    const isReady = saysReady(object as unknown as Karmada);
    this.#update(key, this.#observed.get(key) ?? this.#create(key), isReady);
  }

  #update(key: string, known: Observed, isReady: boolean): void {
    if (known.isReady && !isReady) this.#lost += 1;
    if (isReady && !known.wasReady) this.#noteReady(key, known);
    this.#observed.set(key, { ...known, isReady, wasReady: known.wasReady || isReady });
  }

  #create(key: string): Observed {
    const created = { createdMs: this.#now(), isReady: false, wasReady: false };
    this.#createdMs.push(created.createdMs);
    this.#observed.set(key, created);
    return created;
  }

  #noteReady(key: string, { createdMs }: Observed): void {
    const now = this.#now();
    this.#readyMs.push(now);
    this.#timesMs.set(key, now - createdMs);
  }
}
