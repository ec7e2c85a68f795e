/** Reads objects of which a cache keeps only a part. After a start all of a kind are read at once, which one list does. */
import { setImmediate as turn } from 'node:timers/promises';
import type { CallOptions, KubernetesClient } from '../client/client-interface.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { keyOf, keyText, type ResourceType } from '../objects/resources.ts';
import { sameVersion } from './store.ts';

/** Number of objects from which a list costs less than requests for single ones. */
const MANY = 4;

type Objects = ReadonlyMap<string, KubernetesObject>;

/** Objects of a kind that are read in one turn of the event loop. */
interface Batch {
  count: number;
  readonly listed: Promise<Objects | undefined>;
}

export class WholeObjects {
  readonly #client: Pick<KubernetesClient, 'find' | 'list'>;
  readonly #labelSelector: string | undefined;
  readonly #batches = new Map<ResourceType, Batch>();

  /** @param labelSelector of a list that has all objects; without it, each is read by itself */
  constructor(client: Pick<KubernetesClient, 'find' | 'list'>, labelSelector?: string) {
    this.#client = client;
    this.#labelSelector = labelSelector;
  }

  /**
   * Reads an object.
   * @param partial as the cache has it
   * @throws ApiError, NetworkError
   */
  async read(
    type: ResourceType,
    partial: KubernetesObject,
    call?: CallOptions,
  ): Promise<KubernetesObject | undefined> {
    const key = keyOf(partial);
    const listed = (await this.#listed(type))?.get(keyText(key));
    // Another version may be older than what the caller knows.
    if (listed !== undefined && sameVersion(listed, partial)) return listed;
    return this.#client.find(type, key, call);
  }

  #listed(type: ResourceType): Promise<Objects | undefined> {
    if (this.#labelSelector === undefined) return Promise.resolve(undefined);
    const batch = this.#batches.get(type) ?? this.#begin(type, this.#labelSelector);
    batch.count += 1;
    return batch.listed;
  }

  #begin(type: ResourceType, labelSelector: string): Batch {
    const listed = turn().then(async () => {
      this.#batches.delete(type);
      return batch.count < MANY ? undefined : this.#list(type, labelSelector);
    });
    const batch: Batch = { count: 0, listed };
    this.#batches.set(type, batch);
    return batch;
  }

  /** @returns undefined if the list fails; a single read then says why */
  async #list(type: ResourceType, labelSelector: string): Promise<Objects | undefined> {
    try {
      const { items } = await this.#client.list(type, { labelSelector });
      return new Map(items.map((item) => [keyText(keyOf(item)), item]));
    } catch {
      return undefined;
    }
  }
}
