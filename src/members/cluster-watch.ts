/** What a control plane says of its members: caches of its Clusters, and of when their credentials change. */
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { firstStale } from '../kubernetes/freshness.ts';
import { Informer, type Change } from '../kubernetes/informer.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { resources, type ObjectKey } from '../kubernetes/resources.ts';
import { clusters, memberOf, reduceCluster, sameCluster } from './member.ts';

export interface ClusterWatchOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** See `InformerOptions`. */
  readonly keptBytes?: number;
  /** Called when a member comes, goes or has other credentials. */
  readonly onChange: () => void;
}

/** Begins at once; closed for good by `close`. */
export class ClusterWatch {
  readonly #options: ClusterWatchOptions;
  readonly #clusters: Informer;
  /** Metadata of Secrets, one watch for each namespace in which credentials are. */
  readonly #secrets = new Map<string, Informer>();

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
    this.#clusters = new Informer({ ...options, type: clusters, transform: reduceCluster });
    this.#clusters.onChange((change) => this.#clusterChanged(change));
    this.#clusters.start();
    void this.#clusters.synced.then(() => this.#options.onChange());
  }

  /** Whether all there is to know has been read once. */
  get hasSynced(): boolean {
    return this.#watches.every(({ hasSynced }) => hasSynced);
  }

  /** Why it is not kept up at the moment; undefined when it is. */
  get problem(): string | undefined {
    const problems = this.#watches.map(({ problem }) => problem);
    return problems.find((problem) => problem !== undefined) ?? firstStale(this.#watches)?.stale;
  }

  /** What it follows. */
  get sources(): readonly Pick<Informer, 'freshness'>[] {
    return this.#watches;
  }

  /** All Clusters, without their status. */
  clusters(): KubernetesObject[] {
    return this.#clusters.cache.list();
  }

  /** Changes whenever a Secret does. */
  versionOf(key: Required<ObjectKey>): string {
    const { uid = '', resourceVersion = '' } =
      this.#secrets.get(key.namespace)?.cache.get(key)?.metadata ?? {};
    return `${uid}/${resourceVersion}`;
  }

  async close(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.stop()));
  }

  get #watches(): readonly Informer[] {
    return [this.#clusters, ...this.#secrets.values()];
  }

  #clusterChanged({ object, previous }: Change): void {
    // Its heartbeat is no news.
    if (previous !== undefined && sameCluster(object, previous)) return;
    const secret = memberOf(object)?.secret;
    if (secret !== undefined) this.#watchSecrets(secret.namespace);
    this.#options.onChange();
  }

  #watchSecrets(namespace: string): void {
    if (this.#secrets.has(namespace)) return;
    const type = resources.Secret;
    const watch = new Informer({ ...this.#options, type, namespace, metadataOnly: true });
    watch.onChange(() => this.#options.onChange());
    watch.start();
    void watch.synced.then(() => this.#options.onChange());
    this.#secrets.set(namespace, watch);
  }
}
