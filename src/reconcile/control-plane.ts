/** An instance's own API: a client and caches of the objects we made inside it. */
import { FIELD_MANAGER } from '../api/karmada.ts';
import { Applier } from '../kubernetes/apply.ts';
import { createClient } from '../kubernetes/client.ts';
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import { explicitEndpoint, type Route } from '../kubernetes/connection.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { firstStale } from '../kubernetes/freshness.ts';
import { Gate, gated, type Reader } from '../kubernetes/gate.ts';
import { Informer } from '../kubernetes/informer.ts';
import { CONTROL_PLANE_KEPT, CONTROL_PLANE_LIMITS } from '../kubernetes/limits.ts';
import { sha256 } from '../kubernetes/intent.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { resources } from '../kubernetes/resources.ts';
import { ClusterWatch } from '../members/cluster-watch.ts';
import { MANAGED_BY, MANAGER } from '../api/labels.ts';
import { askReadiness, type ReadinessTools, type Refusal } from './ask-readiness.ts';
import { ReadinessProbe } from './readiness-probe.ts';
import { PROPAGATION_POLICY } from './serving.ts';

/** How to get into a control plane, all PEM. */
export interface Credentials {
  /** `https://host:port` */
  readonly server: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

export interface ControlPlaneOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Asked for whenever something inside has changed. */
  readonly onChange: () => void;
  readonly userAgent: string;
  /** See `ClientOptions`. */
  readonly term?: AbortSignal;
  /** Another way to the API server than TCP to its Service. */
  readonly route?: Route;
  /** See `ReadinessTools`. */
  readonly findName?: ReadinessTools['findName'];
}

const KINDS = [
  resources.Namespace,
  resources.Service,
  resources.ClusterRole,
  resources.ClusterRoleBinding,
  resources.Role,
  resources.RoleBinding,
  resources.ConfigMap,
  resources.MutatingWebhookConfiguration,
  resources.ValidatingWebhookConfiguration,
  resources.APIService,
] as const;

const CALL_TIMEOUT_MS = 10_000;

/** One control plane; closed for good by `close`. */
export class ControlPlane {
  readonly client: KubernetesClient;
  readonly applier: Applier;
  readonly fingerprint: string;
  readonly #options: ControlPlaneOptions;
  readonly #informers: readonly Informer[];
  readonly #gate: Gate;
  /** Whether its API server is ready, asked in the background. */
  readonly readiness: ReadinessProbe<Refusal>;
  #started = false;
  #clusters: ClusterWatch | undefined;

  constructor(credentials: Credentials, options: ControlPlaneOptions) {
    this.#options = options;
    this.#gate = new Gate(options.clock);
    this.fingerprint = fingerprintOf(credentials);
    const { server, ca, certificate, key } = credentials;
    const endpoint = explicitEndpoint({
      server,
      caData: ca,
      certData: certificate,
      keyData: key,
      ...(options.route && { route: options.route }),
    });
    this.client = createClient(endpoint, {
      clock: options.clock,
      timeoutMs: CALL_TIMEOUT_MS,
      limits: CONTROL_PLANE_LIMITS,
      resources: [PROPAGATION_POLICY],
      userAgent: options.userAgent,
      ...(options.term && { term: options.term }),
    });
    this.applier = new Applier({ client: this.client, fieldManager: FIELD_MANAGER });
    this.readiness = new ReadinessProbe({
      clock: options.clock,
      random: options.random,
      ask: () => askReadiness({ client: this.client, ...options }),
      onChange: (ready) => this.#answered(ready),
    });
    const reader = gated(this.client, this.#gate, () => this.readiness.doubt());
    this.#informers = this.#createInformers(reader);
  }

  /** Begins to read what is inside; call it when the API server serves. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const informer of this.#informers) {
      informer.onChange(() => this.#options.onChange());
      informer.start();
    }
    void this.#synced().then(() => this.#options.onChange());
  }

  get started(): boolean {
    return this.#started;
  }

  /** True when everything inside has been read completely. */
  get hasSynced(): boolean {
    return this.#informers.every(({ hasSynced }) => hasSynced);
  }

  /** Why the caches are not being kept up at the moment; undefined when they are. */
  get problem(): string | undefined {
    return this.#informers.map(({ problem }) => problem).find((problem) => problem !== undefined);
  }

  /** Caches of what is inside, as far as they are filled or to be filled. */
  get sources(): readonly Pick<Informer, 'freshness'>[] {
    return this.#started ? [...this.#informers, ...(this.#clusters?.sources ?? [])] : [];
  }

  /** Why nothing may rest on what was read of the inside; undefined while something may. */
  get stale(): string | undefined {
    return firstStale(this.#informers)?.stale;
  }

  /** Why a cache is not kept up because of its size; undefined otherwise. */
  get overflow(): string | undefined {
    return this.#informers.map(({ overflow }) => overflow).find((text) => text !== undefined);
  }

  /** What it says of its members; undefined while nobody wants to know. */
  get clusters(): ClusterWatch | undefined {
    return this.#clusters;
  }

  /** Begins to follow the members; what has begun goes on when their API is away. */
  watchClusters(): void {
    this.#clusters ??= new ClusterWatch({
      ...this.#options,
      client: this.client,
      keptBytes: CONTROL_PLANE_KEPT,
    });
  }

  /** Follows the members no longer. */
  unwatchClusters(): void {
    void this.#clusters?.close();
    this.#clusters = undefined;
  }

  /** Everything inside that bears our labels. CRDs come without their schemas. */
  objects(): KubernetesObject[] {
    return this.#informers.flatMap(({ cache }) => cache.list());
  }

  async close(): Promise<void> {
    this.readiness.close();
    const informers = this.#informers.map((informer) => informer.stop());
    await Promise.all([...informers, this.#clusters?.close()]);
    await this.client.close();
  }

  #answered(ready: boolean): void {
    if (ready) this.#gate.open();
    else this.#gate.shut();
    this.#options.onChange();
  }

  #createInformers(client: Reader): readonly Informer[] {
    const { clock, random, log } = this.#options;
    const common = {
      client,
      clock,
      random,
      log,
      labelSelector: OURS,
      keptBytes: CONTROL_PLANE_KEPT,
    };
    return [
      ...KINDS.map((type) => new Informer({ ...common, type })),
      new Informer({
        ...common,
        type: resources.CustomResourceDefinition,
        transform: reduceDefinition,
      }),
    ];
  }

  async #synced(): Promise<void> {
    await Promise.all(this.#informers.map(({ synced }) => synced));
  }
}

const OURS = `${MANAGED_BY}=${MANAGER}`;

/** Changes when a new connection has to be made. */
export function fingerprintOf({ server, ca, certificate, key }: Credentials): string {
  return sha256([server, ca, certificate, key].join('\n'));
}

/**
 * Its metadata and conditions: the schemas of one instance alone have 0.7 MB. The generation in the metadata moves with
 * every change of the spec, and only then the whole object is read and compared.
 */
function reduceDefinition(crd: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, metadata } = crd;
  const { conditions } = (crd['status'] ?? {}) as { conditions?: unknown };
  return { apiVersion, kind, metadata, status: { conditions } };
}
