/** Watches the Clusters of a control plane and the metadata of the Secrets with their credentials. */
import type { CacheTotal } from '../kubernetes/informers/cache-total.ts';
import type { Clock, Log, Random } from '../kubernetes/time/clock.ts';
import type { Reader } from '../kubernetes/client/call-gate.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { firstStale } from '../kubernetes/informers/freshness.ts';
import type { Change } from '../kubernetes/informers/informer-options.ts';
import { Informer } from '../kubernetes/informers/informer.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { keyText, resources, type ObjectKey } from '../kubernetes/objects/resources.ts';
import { CredentialReader, type Expiry } from './credential-reader.ts';
import { clusters, memberClusterOf, reduceCluster, sameCluster } from './member-cluster.ts';

export interface ClusterWatchOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Limit of all caches of the control plane. */
  readonly total?: CacheTotal;
  /** Called when a member cluster is added, removed, becomes ready or not ready, or has new credentials. */
  readonly onChange: () => void;
}

/**
 * Maximum number of Namespaces with credentials that are watched, because each watch needs a connection. Joining uses one.
 * The operator does not notice changed credentials in others.
 */
const MAX_NAMESPACES = 16;

/** How long a list shows that the API serves Clusters, in milliseconds. */
const RECENT_MS = 1_000;

/** Starts the watches in the constructor. `close` ends them permanently. */
export class ClusterWatch {
  readonly #options: ClusterWatchOptions;
  readonly #clusters: Informer;
  /** Metadata of Secrets, with one watch per Namespace that contains credentials. */
  readonly #secrets = new Map<string, Informer>();
  readonly #credentials: CredentialReader;
  readonly #firstList: Promise<boolean>;
  /** Monotonic time until which the first list shows that the API serves Clusters. */
  #firstListUntil = Infinity;

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
    this.#credentials = new CredentialReader(options);
    const failed = Promise.withResolvers<boolean>();
    const client = reporting(options.client, () => failed.resolve(false));
    const own = { ...options, client, type: clusters, transform: reduceCluster };
    this.#clusters = new Informer(own);
    const synced = this.#clusters.synced.then(() => true);
    this.#firstList = Promise.race([synced, failed.promise]);
    void this.#firstList.then((succeeded) => {
      this.#firstListUntil = succeeded ? options.clock.monotonic() + RECENT_MS : -Infinity;
    });
    this.#clusters.onChange((change) => this.#clusterChanged(change));
    this.#clusters.start();
    void this.#clusters.synced.then(() => this.#options.onChange());
  }

  /**
   * Whether the first list of Clusters succeeds, while it is in progress and for a second after its success. Never rejects.
   * @returns undefined after that
   */
  get firstList(): Promise<boolean> | undefined {
    return this.#options.clock.monotonic() <= this.#firstListUntil ? this.#firstList : undefined;
  }

  /** Whether all initial lists are complete. */
  get hasSynced(): boolean {
    return this.#watches.every(({ hasSynced }) => hasSynced);
  }

  /** Error of a failed or stale watch. Undefined if all watches work. */
  get problem(): string | undefined {
    const problems = this.#watches.map(({ problem }) => problem);
    return problems.find((problem) => problem !== undefined) ?? firstStale(this.#watches)?.stale;
  }

  /** All watches. */
  get sources(): readonly Pick<Informer, 'freshness' | 'ageMs'>[] {
    return this.#watches;
  }

  /** All Clusters, reduced to what the operator uses. */
  clusters(): KubernetesObject[] {
    return this.#clusters.cache.list();
  }

  /** Returns the version of a Secret, which changes with each update. */
  versionOf(key: Required<ObjectKey>): string {
    const { uid = '', resourceVersion = '' } =
      this.#secrets.get(key.namespace)?.cache.get(key)?.metadata ?? {};
    return `${uid}/${resourceVersion}`;
  }

  /**
   * Returns when the credentials of the member clusters expire, by Cluster, without waiting. Starts reads of changed
   * Secrets.
   */
  credentialExpiries(): ReadonlyMap<string, Expiry> {
    const secrets = this.clusters().flatMap((cluster) => {
      const key = memberClusterOf(cluster)?.secret;
      const version = key === undefined ? '/' : this.versionOf(key);
      return key === undefined || version === '/'
        ? []
        : [{ cluster: cluster.metadata.name, key, version }];
    });
    const known = this.#credentials.expiries(secrets);
    return new Map(secrets.map(({ cluster, key }) => [cluster, known.get(keyText(key)) ?? 'none']));
  }

  async close(): Promise<void> {
    this.#credentials.close();
    await Promise.all(this.#watches.map((watch) => watch.stop()));
  }

  get #watches(): readonly Informer[] {
    return [this.#clusters, ...this.#secrets.values()];
  }

  #clusterChanged({ type, object, previous = object }: Change): void {
    // A heartbeat changes only other parts of the status.
    if (type === 'modified' && sameCluster(object, previous)) return;
    const used = type === 'deleted' ? undefined : namespaceOf(object);
    if (used !== undefined) this.#watchSecrets(used);
    if (type !== 'added') this.#unwatchUnused(namespaceOf(previous));
    this.#options.onChange();
  }

  /** Stops the watch of a namespace if no Cluster has its credentials there. */
  #unwatchUnused(namespace: string | undefined): void {
    const watch = namespace === undefined ? undefined : this.#secrets.get(namespace);
    if (namespace === undefined || watch === undefined) return;
    if (this.clusters().some((cluster) => namespaceOf(cluster) === namespace)) return;
    this.#secrets.delete(namespace);
    void watch.stop();
  }

  #watchSecrets(namespace: string): void {
    if (this.#secrets.has(namespace) || this.#secrets.size >= MAX_NAMESPACES) return;
    const type = resources.Secret;
    const watch = new Informer({ ...this.#options, type, namespace, metadataOnly: true });
    watch.onChange(() => this.#options.onChange());
    watch.start();
    void watch.synced.then(() => this.#options.onChange());
    this.#secrets.set(namespace, watch);
  }
}

/** @param onFailure called when a list fails */
const reporting = (client: Reader, onFailure: () => void): Reader => ({
  list: async (type, options) => {
    try {
      return await client.list(type, options);
    } catch (error) {
      onFailure();
      throw error;
    }
  },
  watch: (type, options) => client.watch(type, options),
});

/** Namespace of the Secret with the credentials of a Cluster. */
const namespaceOf = (cluster: KubernetesObject): string | undefined =>
  memberClusterOf(cluster)?.secret?.namespace;
