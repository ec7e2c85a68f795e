import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { Informer } from '../../../src/kubernetes/informers/informer.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { SILENT, type ClusterView } from '../kubelet/cluster-view.ts';

/** View of any API server. */
export class InformedView implements ClusterView {
  readonly #secrets: Informer;
  readonly #claims: Informer;
  readonly #pods: Informer;

  constructor(client: KubernetesClient) {
    const informer = (type: ResourceType): Informer =>
      new Informer({ client, type, clock: systemClock, random: Math.random, log: SILENT });
    this.#secrets = informer(resources.Secret);
    this.#claims = informer(resources.PersistentVolumeClaim);
    this.#pods = informer(resources.Pod);
    for (const one of this.#all) one.start();
  }

  get #all(): readonly Informer[] {
    return [this.#secrets, this.#claims, this.#pods];
  }

  secret(namespace: string, name: string): KubernetesObject | undefined {
    return this.#secrets.cache.get({ namespace, name });
  }

  claim(namespace: string, name: string): KubernetesObject | undefined {
    return this.#claims.cache.get({ namespace, name });
  }

  allPods(): readonly KubernetesObject[] {
    return this.#pods.cache.list();
  }

  pods(namespace: string): readonly KubernetesObject[] {
    return this.allPods().filter(({ metadata }) => metadata.namespace === namespace);
  }

  onPod(listener: (pod: KubernetesObject) => void): void {
    this.#pods.onChange(({ object }) => listener(object));
  }

  onDeletedClaim(listener: (claim: KubernetesObject) => void): void {
    this.#claims.onChange(({ type, object }) => {
      if (type === 'deleted') listener(object);
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((one) => one.stop()));
  }
}
