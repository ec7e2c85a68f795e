/**
 * Scheduler and kubelet of one node, as a client of the Kubernetes API. It runs against a stub API and against a real
 * API server with a real kube-controller-manager.
 */
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { isNotFound } from '../../../src/kubernetes/client/errors.ts';
import { Informer } from '../../../src/kubernetes/informers/informer.ts';
import { isTerminating, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { hasEnded } from '../controllers/pods.ts';
import { WorkQueue } from '../controllers/work-queue.ts';
import { SILENT } from './cluster-view.ts';
import { specOf, type PodRuntime } from './pod-runtime.ts';
import { PodWorker } from './pod-worker.ts';
import { Scheduler } from './scheduler.ts';

export interface KubeletOptions {
  readonly client: KubernetesClient;
  readonly runtime: PodRuntime;
  /** Name of the node that exists in the cluster. */
  readonly node: string;
  /** Longest time that a terminating Pod takes in milliseconds, below its own grace period. */
  readonly graceMs: number;
}

const keyOf = ({ metadata: { name, namespace = '' } }: KubernetesObject): string =>
  `${namespace}/${name}`;

export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #informer: Informer;
  readonly #queue: WorkQueue;
  readonly #scheduler: Scheduler;
  /** By UID of the Pod. */
  readonly #workers = new Map<string, PodWorker>();
  /** Pods by their UID that are ending. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(options: KubeletOptions) {
    const { client, node } = options;
    this.#options = options;
    this.#scheduler = new Scheduler(client, node);
    this.#queue = new WorkQueue((key) => this.#sync(key));
    const common = { clock: systemClock, random: Math.random, log: SILENT };
    this.#informer = new Informer({ ...common, client, type: resources.Pod });
    this.#informer.onChange(({ object, type }) => {
      if (type === 'deleted') this.#gone(object);
      else this.#queue.add(keyOf(object));
    });
    this.#informer.start();
  }

  /** Ends all containers without changing Pods, as a node that fails. */
  async stop(): Promise<void> {
    this.#queue.stop();
    await this.#informer.stop();
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop(0)));
    await Promise.all(this.#ending.values());
  }

  async #sync(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const pod = this.#informer.cache.get({ namespace, name });
    if (pod === undefined) return;
    const { nodeName } = specOf(pod);
    if (nodeName === undefined) {
      const isBound = isTerminating(pod) || (await this.#scheduler.schedule(pod));
      if (!isBound) this.#queue.addAfter(key, 100);
    } else if (nodeName === this.#options.node) {
      if (isTerminating(pod)) this.#end(pod);
      else this.#run(pod);
    }
  }

  #run(pod: KubernetesObject): void {
    const { uid = '' } = pod.metadata;
    const worker = this.#workers.get(uid);
    if (worker !== undefined) worker.update(pod);
    else if (!hasEnded(pod)) this.#workers.set(uid, new PodWorker(pod, this.#options));
  }

  /** Ends the containers of a terminating Pod and deletes it. */
  #end(pod: KubernetesObject): void {
    const { uid = '', name, namespace = '', ...metadata } = pod.metadata;
    if (this.#ending.has(uid)) return;
    const { deletionGracePeriodSeconds = 30 } = metadata as { deletionGracePeriodSeconds?: number };
    const graceMs = Math.min(this.#options.graceMs, deletionGracePeriodSeconds * 1_000);
    const ended = (async () => {
      await this.#workers.get(uid)?.stop(graceMs);
      this.#workers.delete(uid);
      await this.#delete({ name, namespace }, uid);
      this.#ending.delete(uid);
    })();
    this.#ending.set(uid, ended);
  }

  async #delete(key: { name: string; namespace: string }, uid: string): Promise<void> {
    try {
      await this.#options.client.delete(resources.Pod, key, { uid, gracePeriodSeconds: 0 });
    } catch (error) {
      if (isNotFound(error)) return;
      this.#queue.addAfter(`${key.namespace}/${key.name}`, 200);
    }
  }

  /** A Pod was deleted without a grace period. */
  #gone({ metadata: { uid = '' } }: KubernetesObject): void {
    const worker = this.#workers.get(uid);
    this.#workers.delete(uid);
    if (worker === undefined || this.#ending.has(uid)) return;
    this.#ending.set(
      uid,
      worker.stop(0).finally(() => this.#ending.delete(uid)),
    );
  }
}
