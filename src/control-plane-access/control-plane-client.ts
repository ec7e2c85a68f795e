/**
 * Client and informers for the API of a control plane. The informers cache only objects with the labels of the
 * operator.
 */
import type { LongResponses } from '../kubernetes/client/long-responses.ts';
import { FIELD_MANAGER } from '../api/karmada.ts';
import { Applier } from '../kubernetes/apply/apply.ts';
import type { CacheVersion } from '../kubernetes/apply/apply-cache.ts';
import { createClient } from '../kubernetes/client/client.ts';
import type { Clock, Log, Random } from '../kubernetes/time/clock.ts';
import type { TenantAddresses } from '../kubernetes/connection/addresses.ts';
import { explicitEndpoint, type Dialer } from '../kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { firstStale } from '../kubernetes/informers/freshness.ts';
import type { CacheMemory } from '../kubernetes/informers/cache-quota/cache-memory.ts';
import { CacheTotal } from '../kubernetes/informers/cache-total.ts';
import { CallGate, gated, type Reader } from '../kubernetes/client/call-gate.ts';
import { Informer } from '../kubernetes/informers/informer.ts';
import type { Change, InformerOptions } from '../kubernetes/informers/informer-options.ts';
import {
  CONTROL_PLANE_KEPT,
  CONTROL_PLANE_LIMITS,
  CONTROL_PLANE_WRITTEN,
} from '../kubernetes/client/limits.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { SharedValues } from '../kubernetes/informers/shared-values.ts';
import type { OnCall } from '../kubernetes/client/finished-call.ts';
import { pathOf, resources, type ResourceType } from '../kubernetes/objects/resources.ts';
import type { Term } from '../kubernetes/time/term.ts';
import { ClusterWatch } from '../member-clusters/cluster-watch.ts';
import { clusters } from '../member-clusters/member-cluster.ts';
import { MANAGED_BY, MANAGER } from '../api/labels.ts';
import { KINDS, versionOf } from './control-plane-caches.ts';
import { fingerprintOf, type Credentials } from './credentials.ts';
import { queryReadyz, type ReadinessTools, type Refusal } from './query-readyz.ts';
import { LateCalls } from './late-calls.ts';
import { ReadinessProbe } from './readiness-probe.ts';
import { ListedDefinitions } from './reduce-definition.ts';
import { PROPAGATION_POLICY } from './readiness-gate.ts';

export interface ControlPlaneOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called after each change of a watched object in the control plane, and without one when its API server or caches change. */
  readonly onChange: (change?: Pick<Change, 'isInitial'>) => void;
  readonly userAgent: string;
  /** See `ClientOptions`. */
  readonly term?: Term;
  /** See `ClientOptions`. */
  readonly onCall?: OnCall;
  /** Memory of all caches of the process. */
  readonly memory?: CacheMemory;
  /** See `CacheOptions`. */
  readonly shared?: Pick<SharedValues, 'share'>;
  /** Namespace of the Karmada. */
  readonly namespace?: string;
  /** See `ClientOptions`. */
  readonly responses?: Pick<LongResponses, 'of' | 'keep'>;
  /** Dialer to use instead of TCP to the API server Service. */
  readonly route?: Dialer;
  /** See `Endpoint`. */
  readonly addresses?: TenantAddresses;
  /** See `ReadinessTools`. */
  readonly findName?: ReadinessTools['findName'];
}

const CALL_TIMEOUT_MS = 10_000;

/** Client of one control plane. Cannot be used again after `close`. */
export class ControlPlaneClient {
  readonly client: KubernetesClient;
  readonly applier: Applier;
  /** CRDs of the first list. */
  readonly definitions: ListedDefinitions;
  readonly fingerprint: string;
  readonly #options: ControlPlaneOptions;
  readonly #credentials: Credentials;
  readonly #reader: Reader;
  #informers: readonly Informer[];
  readonly #gate: CallGate;
  /** Limit of all caches of this control plane. */
  readonly #total: CacheTotal;
  /** Readiness probe of the API server; runs in the background. */
  readonly readiness: ReadinessProbe<Refusal>;
  /** Calls of reconciles that may outlast them. */
  readonly calls: LateCalls;
  #started = false;
  #clusters: ClusterWatch | undefined;

  constructor(credentials: Credentials, options: ControlPlaneOptions) {
    this.#options = options;
    this.#gate = new CallGate(options.clock);
    this.#total = new CacheTotal(CONTROL_PLANE_KEPT, options.memory, options.namespace);
    this.fingerprint = fingerprintOf(credentials);
    this.#credentials = credentials;
    this.client = this.#connect('');
    const [client, labelSelector] = [this.client, OURS];
    const cacheVersion: CacheVersion = ({ kind }) =>
      versionOf(this.#informers.find(({ type }) => type.kind === kind));
    const own = { client, labelSelector, cacheVersion, maxKept: CONTROL_PLANE_WRITTEN };
    this.applier = new Applier({ ...own, fieldManager: FIELD_MANAGER });
    this.definitions = new ListedDefinitions(this.applier);
    this.calls = new LateCalls({ clock: options.clock, onEnd: options.onChange });
    this.readiness = new ReadinessProbe({
      clock: options.clock,
      random: options.random,
      log: options.log,
      ask: () => queryReadyz({ client: this.client, ...options }),
      onChange: (ready) => this.#answered(ready),
    });
    this.#reader = gated(this.client, this.#gate, () => this.readiness.doubt());
    this.#informers = [...KINDS.map((type) => this.#informer(type)), this.#definitions()];
  }

  /**
   * Starts the informers. Call it after the API server has become ready.
   * @param more kinds that not every API server serves; a later call may add one
   */
  start(more: readonly ResourceType[] = []): void {
    const started = this.#started ? [] : this.#informers;
    const kinds = more.filter((type) => !this.#informers.some((one) => one.type === type));
    const added = kinds.map((type) => this.#informer(type));
    this.#started = true;
    this.#informers = [...this.#informers, ...added];
    for (const informer of [...started, ...added]) {
      informer.onChange((change) => this.#options.onChange(change));
      informer.start();
      void informer.synced.then(() => {
        if (this.hasSynced) this.#options.onChange();
      });
    }
  }

  get started(): boolean {
    return this.#started;
  }

  /** Whether all informers have completed their initial list. */
  get hasSynced(): boolean {
    return this.#informers.every(({ hasSynced }) => hasSynced);
  }

  /** Current watch error of an informer; undefined if all watches work. */
  get problem(): string | undefined {
    return this.#informers.map(({ problem }) => problem).find((problem) => problem !== undefined);
  }

  /** Started informers of the control plane, including those for member clusters. */
  get sources(): readonly Pick<Informer, 'freshness' | 'ageMs'>[] {
    return this.#started ? [...this.#informers, ...(this.#clusters?.sources ?? [])] : [];
  }

  /** Reason why the cache is stale and must not be used; undefined if it is current. */
  get stale(): string | undefined {
    return firstStale(this.#informers)?.stale;
  }

  /** Reason why a cache exceeds its size limit; undefined if it does not. */
  get overflow(): string | undefined {
    return this.#informers.map(({ overflow }) => overflow).find((text) => text !== undefined);
  }

  /** Watch of the member clusters; undefined until `watchClusters` is called. */
  get clusters(): ClusterWatch | undefined {
    return this.#clusters;
  }

  /** Starts to watch the member clusters. A started watch continues while the cluster API is unavailable. */
  watchClusters(): void {
    this.#clusters ??= new ClusterWatch({
      ...this.#options,
      client: this.client,
      total: this.#total,
    });
  }

  /** All cached objects with the labels of the operator. CRDs are cached without schemas. */
  objects(): KubernetesObject[] {
    return this.#informers.flatMap(({ cache }) => cache.list());
  }

  /** Creates a client of a member cluster, which connects through the control plane. The caller closes it. */
  member(name: string): KubernetesClient {
    return this.#connect(pathOf(clusters, { name }, 'proxy'));
  }

  #connect(path: string): KubernetesClient {
    const { clock, userAgent, route, addresses, term, responses, onCall } = this.#options;
    const { server, ca, certificate, key } = this.#credentials;
    const dialing = { ...(route && { route }), ...(addresses && { addresses }) };
    const access = { caData: ca, certData: certificate, keyData: key, ...dialing };
    const endpoint = explicitEndpoint({ server: server + path, ...access });
    return createClient(endpoint, {
      clock,
      userAgent,
      timeoutMs: CALL_TIMEOUT_MS,
      limits: CONTROL_PLANE_LIMITS,
      resources: [PROPAGATION_POLICY],
      ...{ ...(term && { term }), ...(responses && { responses }), ...(onCall && { onCall }) },
    });
  }

  async close(): Promise<void> {
    this.readiness.close();
    const informers = this.#informers.map((informer) => informer.stop());
    await Promise.all([...informers, this.#clusters?.close()]);
    this.#total.close();
    await this.client.close();
  }

  #answered(ready: boolean): void {
    if (ready) this.#gate.open();
    else this.#gate.shut();
    this.#options.onChange();
  }

  #informer(type: ResourceType): Informer {
    return new Informer({ ...this.#common(), type });
  }

  #definitions(): Informer {
    const type = resources.CustomResourceDefinition;
    const transform = this.definitions.reduce.bind(this.definitions);
    const informer = new Informer({ ...this.#common(), type, transform });
    void informer.settled.then(() => this.definitions.forget());
    return informer;
  }

  #common(): Omit<InformerOptions, 'type'> {
    const { clock, random, log, shared } = this.#options;
    const own = { client: this.#reader, labelSelector: OURS, total: this.#total };
    return { ...own, clock, random, log, ...(shared && { shared }) };
  }
}

const OURS = `${MANAGED_BY}=${MANAGER}`;
