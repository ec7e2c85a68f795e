/** Deletes an object of one control plane repeatedly, and measures the time until the operator has created it again. */
import { setTimeout as pause } from 'node:timers/promises';
import { instanceName } from '../../../src/api/naming.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { disturbedName } from '../../harness/disturbed-install.ts';
import type { StubCluster } from '../stub-cluster.ts';

/** Namespace of the control plane that is damaged. */
export const DAMAGED = 'fleet-damaged';

const PAUSE_MS = 250;

export class Repairs {
  readonly #cluster: StubCluster;
  readonly #timesMs: number[] = [];
  #stopping: AbortController | undefined;

  constructor(cluster: StubCluster) {
    this.#cluster = cluster;
  }

  /** Milliseconds until each object existed again, since the last reset. */
  get timesMs(): readonly number[] {
    return [...this.#timesMs];
  }

  reset(): void {
    this.#timesMs.length = 0;
  }

  start(): void {
    const stopping = new AbortController();
    this.#stopping = stopping;
    void this.#run(stopping.signal);
  }

  /** An object that is missing now does not count. */
  stop(): void {
    this.#stopping?.abort();
    this.#stopping = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      const isRestored = await this.#damage(signal);
      if (isRestored) this.#timesMs.push(performance.now() - began);
      await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns whether the object existed and was created again before the end */
  async #damage(signal: AbortSignal): Promise<boolean> {
    const { api, client } = this.#cluster;
    const key = { namespace: DAMAGED, name: instanceName(disturbedName, 'webhook') };
    const { version } = api.store;
    if (api.store.get('/services', `${key.namespace}/${key.name}`) === undefined) return false;
    await client.delete(resources.Service, key);
    const restored = Promise.withResolvers<boolean>();
    const end = api.store.watch('/services', version, ({ type, object: { metadata } }) => {
      const isSame = metadata.namespace === key.namespace && metadata.name === key.name;
      if (isSame && type === 'ADDED') restored.resolve(true);
    });
    const abort = (): void => restored.resolve(false);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await restored.promise;
    } finally {
      signal.removeEventListener('abort', abort);
      end();
    }
  }
}
