import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { isNotFound } from '../../../src/kubernetes/client/errors.ts';
import { Informer } from '../../../src/kubernetes/informers/informer.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import type { Environment } from '../../harness/hosts/environment.ts';

/** Returns the object that is deleted repeatedly in each control plane: a Service without dependents. */
export const subjectOf = (name: string): { readonly namespace: string; readonly name: string } => ({
  namespace: name,
  name: `${name}-karmada-webhook`,
});

export interface Load {
  /** Stops after all objects are restored. @returns the time until each object was restored, in milliseconds */
  stop(): Promise<readonly number[]>;
}

/** Deletes the subject of each control plane every `everyMs`, and triggers reconciles of the remote ones. */
export async function startLoad(environment: Environment, everyMs: number): Promise<Load> {
  const absences = await Absences.follow(environment);
  const names = [...environment.near, ...environment.hosts.keys()];
  const ending = new AbortController();
  const loops = names.map((name, index) =>
    paced(ending.signal, { everyMs, offsetMs: (everyMs * index) / names.length }, () =>
      environment.hosts.has(name) ? disturbFar(environment, name) : absences.begin(name),
    ),
  );
  return {
    async stop() {
      ending.abort();
      await Promise.all(loops);
      return absences.end();
    },
  };
}

/** Repeats an action at a fixed interval. Skips intervals if the action takes longer. */
async function paced(
  signal: AbortSignal,
  { everyMs, offsetMs }: { readonly everyMs: number; readonly offsetMs: number },
  act: () => Promise<void>,
): Promise<void> {
  const pause = (ms: number): Promise<unknown> =>
    delay(ms, undefined, { signal }).catch(() => undefined);
  await pause(offsetMs);
  for (let due = performance.now(); !signal.aborted;) {
    await act();
    due = Math.max(due + everyMs, performance.now());
    await pause(Math.max(0, due - performance.now()));
  }
}

/** Same load for reachable and unreachable host clusters: deletes an object directly, and changes its Karmada. */
async function disturbFar({ management, away }: Environment, name: string): Promise<void> {
  await remove(away, name);
  const annotations = { 'bench.example.com/touched': String(Math.round(performance.now())) };
  await management.patch(karmadas, { namespace: name, name }, { metadata: { annotations } });
}

async function remove(client: KubernetesClient, name: string): Promise<boolean> {
  try {
    await client.delete(resources.Service, subjectOf(name));
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return false;
  }
}

/** Tracks the deleted subjects, and the times until they were restored. */
class Absences {
  readonly #client: KubernetesClient;
  readonly #informer: Informer;
  readonly #since = new Map<string, number>();
  readonly #lengths: number[] = [];

  private constructor(client: KubernetesClient) {
    this.#client = client;
    const nothing = (): void => undefined;
    this.#informer = new Informer({
      client,
      type: resources.Service,
      clock: systemClock,
      random: Math.random,
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    });
  }

  static async follow({ management }: Environment): Promise<Absences> {
    const absences = new Absences(management);
    const informer = absences.#informer;
    informer.start();
    await informer.synced;
    informer.onChange(({ type, object: { metadata } }) => {
      if (type === 'added') absences.#back(metadata.namespace ?? '', metadata.name);
    });
    return absences;
  }

  /** Deletes the subject of a control plane, unless it is already deleted. */
  async begin(name: string): Promise<void> {
    if (this.#since.has(name)) return;
    this.#since.set(name, performance.now());
    if (!(await remove(this.#client, name))) this.#since.delete(name);
  }

  async end(): Promise<readonly number[]> {
    await poll('all deleted objects are restored', (seen) => {
      seen([...this.#since.keys()].join());
      return Promise.resolve(this.#since.size === 0 ? true : undefined);
    });
    await this.#informer.stop();
    return this.#lengths;
  }

  #back(namespace: string, name: string): void {
    const since = this.#since.get(namespace);
    if (since === undefined || name !== subjectOf(namespace).name) return;
    this.#since.delete(namespace);
    this.#lengths.push(performance.now() - since);
  }
}
