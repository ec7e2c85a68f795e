/** Runs one Pod: init containers one after the other, then all containers, with restarts, until it is deleted. */
import { setTimeout as pause } from 'node:timers/promises';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { isNotFound } from '../../../src/kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { ContainerNotCreated } from './broken-containers.ts';
import { podStatus, timestamp, WAITING, type ContainerState, type PodState } from './pod-status.ts';
import {
  specOf,
  type ContainerRun,
  type ContainerSpec,
  type Exit,
  type PodRuntime,
  type Sandbox,
} from './pod-runtime.ts';

const RETRY_MS = 200;
/** Pause before a container restarts; grows with each restart. */
const RESTART_MS = 500;
const MAX_PAUSE_MS = 10_000;

export interface WorkerOptions {
  readonly client: KubernetesClient;
  readonly runtime: PodRuntime;
}

export class PodWorker {
  readonly #options: WorkerOptions;
  readonly #stopping = new AbortController();
  readonly #runs = new Set<ContainerRun>();
  readonly #states = new Map<string, ContainerState>();
  #pod: KubernetesObject;
  #sandbox: Sandbox | undefined;
  #phase: PodState['phase'] = 'Pending';
  #isInitialized = false;
  #writing: Promise<void> = Promise.resolve();
  readonly #done: Promise<void>;

  constructor(pod: KubernetesObject, options: WorkerOptions) {
    this.#pod = pod;
    this.#options = options;
    this.#done = this.#run();
  }

  /** The Pod was changed. */
  update(pod: KubernetesObject): void {
    this.#pod = pod;
  }

  /** Ends all containers. @param graceMs time for an orderly end; 0 kills them */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#runs].map((run) => run.stop(graceMs)));
    await this.#done;
    await this.#sandbox?.remove();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    const { containers, restartPolicy = 'Always' } = specOf(this.#pod);
    this.#sandbox = await this.#createSandbox();
    if (this.#sandbox === undefined) return;
    if (!(await this.#initialize())) {
      if (!this.#isStopping) await this.#end('Failed');
      return;
    }
    this.#isInitialized = true;
    this.#phase = 'Running';
    const exits = await Promise.all(containers.map((one) => this.#keep(one, restartPolicy)));
    if (this.#isStopping) return;
    // Only sidecars are left.
    await Promise.all([...this.#runs].map((run) => run.stop(1_000)));
    await this.#end(exits.every(({ exitCode }) => exitCode === 0) ? 'Succeeded' : 'Failed');
  }

  /** Runs the init containers one after the other; sidecars keep running. @returns whether all have succeeded */
  async #initialize(): Promise<boolean> {
    const { initContainers = [], restartPolicy = 'Always' } = specOf(this.#pod);
    const policy = restartPolicy === 'Never' ? 'Never' : 'OnFailure';
    for (const container of initContainers) {
      if (container.restartPolicy === 'Always') void this.#keep(container, 'Always');
      else if ((await this.#keep(container, policy)).exitCode !== 0) return false;
      if (this.#isStopping) return false;
    }
    return true;
  }

  async #createSandbox(): Promise<Sandbox | undefined> {
    while (!this.#isStopping) {
      try {
        return await this.#options.runtime.createSandbox(this.#pod);
      } catch {
        await this.#pause(RETRY_MS);
      }
    }
    return undefined;
  }

  /** Runs a container until it has ended for good. */
  async #keep(container: ContainerSpec, policy: string): Promise<Exit> {
    let exit: Exit = { exitCode: 137, message: '' };
    for (let attempt = 0; !this.#isStopping; attempt += 1) {
      exit = await this.#once(container, attempt);
      if (policy === 'Never' || (policy === 'OnFailure' && exit.exitCode === 0)) return exit;
      if (this.#isStopping) return exit;
      await this.#set(container, { restarts: attempt, isReady: false, last: exit });
      await this.#pause(Math.min(RESTART_MS * 2 ** attempt, MAX_PAUSE_MS));
    }
    return exit;
  }

  async #once(container: ContainerSpec, attempt: number): Promise<Exit> {
    const { last } = this.#states.get(container.name) ?? WAITING;
    const run = await this.#start(container, attempt);
    if (run === undefined) return { exitCode: 137, message: '' };
    this.#runs.add(run);
    const state = { restarts: attempt, startedAt: timestamp(), ...(last && { last }) };
    // A container without a probe is ready at once.
    const started = this.#set(container, { ...state, isReady: false });
    run.onReadiness((isReady) => void this.#set(container, { ...state, isReady }));
    await started;
    const exit = await run.exit;
    this.#runs.delete(run);
    if (!this.#isStopping) await this.#set(container, { ...state, isReady: false, exit });
    return exit;
  }

  async #start(container: ContainerSpec, attempt: number): Promise<ContainerRun | undefined> {
    while (!this.#isStopping) {
      try {
        return await this.#sandbox?.run(container, this.#pod, attempt);
      } catch (error) {
        if (error instanceof ContainerNotCreated) await this.#notCreated(container, error);
        await this.#pause(RETRY_MS);
      }
    }
    return undefined;
  }

  async #notCreated(container: ContainerSpec, error: ContainerNotCreated): Promise<void> {
    const { reason, message } = error;
    const { restarts } = this.#states.get(container.name) ?? WAITING;
    await this.#set(container, { restarts, isReady: false, waiting: { reason, message } });
  }

  async #end(phase: 'Succeeded' | 'Failed'): Promise<void> {
    this.#phase = phase;
    await this.#write();
  }

  async #set({ name }: ContainerSpec, state: ContainerState): Promise<void> {
    const before = this.#states.get(name);
    this.#states.set(name, state);
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(state)) return;
    await this.#write();
  }

  /** Writes the status, after earlier writes. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeNow());
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    const { name, namespace = '' } = this.#pod.metadata;
    for (;;) {
      const status = podStatus(this.#pod, {
        address: this.#sandbox?.address ?? '',
        containers: this.#states,
        phase: this.#phase,
        isInitialized: this.#isInitialized,
      });
      try {
        const options = { subresource: 'status' } as const;
        await this.#options.client.patch(resources.Pod, { name, namespace }, { status }, options);
        return;
      } catch (error) {
        if (isNotFound(error) || this.#isStopping) return;
        await this.#pause(RETRY_MS);
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}
