/**
 * In-memory cache of one control plane between reconciles. Losing it is harmless: the operator reads again, and
 * writes nothing more.
 */
import type { Host } from '../host-clusters/host.ts';
import type { ControlPlaneClient } from '../control-plane-access/control-plane-client.ts';
import type { EtcdClientTls } from '../etcd/dial.ts';
import type { OwnWrite } from '../kubernetes/objects/resource-version.ts';
import type { MemberAccessManager } from '../member-clusters/access-manager.ts';
import type { KarmadaSpec, KarmadaStatus } from '../api/karmada.ts';
import type { Redactions } from '../causes/redactions.ts';
import type { IdentityReviews, LackedPermissions } from './identity-reviews.ts';
import type { CertificatesView } from './snapshot.ts';
import type { ProbeTarget, Reachability } from './probes.ts';
import type { Rendered } from './desired-objects.ts';
import type { ProgressMemo } from './progress-memo.ts';
import type { UpkeepMemo } from './upkeep-memo.ts';
import type { RemovedValuesMemo } from './removed-values.ts';
import type { FailedReadiness } from '../control-plane-access/readiness-gate.ts';

/** Certificates as of the last read or write. */
export interface CertificatesMemo {
  readonly view: CertificatesView;
  /** PKI inputs of the certificates, as JSON. */
  readonly inputs: string;
  /** Hash of each `data` value by Secret name and key, in the same form as in the cache. */
  readonly secrets: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Time of the write, monotonic milliseconds. The cache may lag behind for a moment after it. */
  readonly writtenAt: number;
  /** resourceVersion of each Secret after the write, or as read. The cache does not contain an older object yet. */
  readonly versions: ReadonlyMap<string, string | undefined>;
  /** Names of the Secrets that were not written, because a user had paused their repair. */
  readonly paused: ReadonlySet<string>;
  /** Names of the Secrets that the write created, and that the cache has not contained yet. */
  readonly awaited: Set<string>;
  /** Record of the rotations that the certificates follow, as in the annotation. */
  readonly rotation?: string | undefined;
}

/** Last written status, which the cache may not contain yet. */
interface StatusMemo extends OwnWrite {
  readonly status: KarmadaStatus;
}

/** Last written etcd record, which the cache may not contain yet. */
export interface RecordMemo {
  readonly uid: string;
  /** `resourceVersion` of the cached Secret when the record was written. */
  readonly shown: string;
  /** Value of the annotation; null if it was deleted. */
  readonly value: string | null;
}

export interface InstanceCache {
  readonly key: string;
  /** Host cluster that this cache was read from. */
  host?: Host;
  /** UID and generation of the Karmada for which defaults and finalizer are known to be stored. */
  prepared?: string;
  certificates?: CertificatesMemo;
  /** Reason of each change that the last reconcile blocked. */
  blocked?: readonly string[];
  controlPlane?: ControlPlaneClient;
  /** Start of the first read of the control plane, monotonic milliseconds. */
  readingSince?: number;
  /** Whether a reconcile has used a complete read of the control plane with its present client. */
  hasRead?: boolean;
  /**
   * Time since which the CRD archive has not been read or etcd members have not been probed, monotonic milliseconds.
   */
  pendingSince?: number;
  /** Time since which only the controllers of changed workloads are awaited, monotonic milliseconds. */
  unobservedSince?: number;
  /** Generation of the latest user change to the spec that this process observed. */
  changedGeneration?: number | undefined;
  /** Its rollout starts; the status that announces it is being written. */
  announcesRollout?: boolean;
  etcdRecord?: RecordMemo;
  /** Last search for values that the release of the requested upgrade does not accept. */
  removedValues?: RemovedValuesMemo;
  /** TLS client credentials for probes of its local etcd members. */
  etcdClient?: EtcdClientTls;
  /** Time since which a required etcd member restart is blocked, monotonic milliseconds. */
  restartBlockedSince?: number;
  /** Latest silences of etcd members whose Pods the operator has reported as not ready. */
  excluded?: readonly string[];
  /** Latest access reviews of components that leave the group `system:masters`. */
  identityReviews?: IdentityReviews;
  /** What the roles of its components lacked last. The status names it for a while, although it is given back at once. */
  lackedPermissions?: LackedPermissions;
  /** Maintenance of its local etcd. `running` aborts the present step. */
  upkeep?: UpkeepMemo & { readonly running?: AbortController };
  /** Access to its member clusters. */
  members?: MemberAccessManager;
  /**
   * Version of the running kube-apiserver. `revision` is the revision of its Deployment once all Pods run that
   * revision.
   */
  version?: { readonly revision: string | undefined; readonly kubernetes: string };
  /** Rendered desired state; valid while its inputs are the same. */
  rendered?: Rendered;
  /** What quotes in its status must not contain; valid while its settings are the same. */
  redactions?: Redactions;
  /** Last ready spec, with its hash. */
  readySpec?: { readonly hash: string; readonly spec: KarmadaSpec };
  /** Versions of live objects that matched the desired state, by object identity. */
  readonly settled: Map<string, string>;
  /** Services to probe before the next decision. */
  probes?: readonly ProbeTarget[];
  /** Results of these probes. */
  reachability?: Reachability;
  /** Functional checks that failed although the control plane is complete. */
  failedReadiness?: FailedReadiness | undefined;
  /** Progress of a control plane that is not ready. */
  progress?: ProgressMemo;
  status?: StatusMemo;
  /** Time of the last status write, monotonic milliseconds. */
  statusAt?: number;
  /** Delay before a status change that only affects message texts is written, in milliseconds. */
  messageBackoffMs?: number;
  /** Since when its reconciles fail with an error that no status reports, monotonic milliseconds. */
  failingSince?: number;
  deletion?: DeletionMemo;
}

/** UIDs of the Karmada whose deletion this process has started, and whose access in the member clusters it has removed. */
export interface DeletionMemo {
  readonly started?: string;
  readonly left?: string;
}

/** Number of control planes whose rendered objects are kept at most: each needs about 0.2 MiB. */
const MAX_RENDERED = 256;

/** Caches of all control planes by key, from the first reconcile of a Karmada until it is gone. */
export class InstanceCaches {
  readonly #instances = new Map<string, InstanceCache>();
  /** Keys that may have rendered objects, least recently used first, and whether they were used since the last `freeUnused`. */
  readonly #recent = new Map<string, boolean>();

  /** Returns the cache of a control plane for its reconcile. */
  get(key: string): InstanceCache {
    this.#use(key);
    const known = this.#instances.get(key);
    if (known !== undefined) return known;
    const instance: InstanceCache = { key, settled: new Map() };
    this.#instances.set(key, instance);
    return instance;
  }

  /** Returns the cache of a control plane without creating it. */
  peek(key: string): InstanceCache | undefined {
    return this.#instances.get(key);
  }

  all(): readonly InstanceCache[] {
    return [...this.#instances.values()];
  }

  /** Frees the rendered objects and the redactions. The next reconcile creates them again. */
  rest(): void {
    for (const key of this.#recent.keys()) this.#rest(key);
  }

  /** The same for control planes that were not reconciled since the last call. */
  freeUnused(): void {
    for (const [key, isUsed] of this.#recent)
      if (isUsed) this.#recent.set(key, false);
      else this.#rest(key);
  }

  /** Forgets what was read of a control plane, and closes its connections. Its deletion and failures stay known. */
  async reset(key: string): Promise<void> {
    const known = this.#instances.get(key);
    if (known === undefined) return;
    const { deletion, failingSince } = known;
    this.#instances.set(key, {
      key,
      settled: new Map(),
      ...(deletion && { deletion }),
      ...(failingSince !== undefined && { failingSince }),
    });
    await end(known);
  }

  /** Forgets a control plane whose Karmada is gone. */
  async forget(key: string): Promise<void> {
    const known = this.#instances.get(key);
    this.#instances.delete(key);
    this.#recent.delete(key);
    await end(known);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#instances.keys()].map((key) => this.forget(key)));
  }

  #use(key: string): void {
    this.#recent.delete(key);
    this.#recent.set(key, true);
    const [oldest = key] = this.#recent.keys();
    if (this.#recent.size > MAX_RENDERED) this.#rest(oldest);
  }

  #rest(key: string): void {
    this.#recent.delete(key);
    const instance = this.#instances.get(key);
    delete instance?.rendered;
    delete instance?.redactions;
  }
}

async function end(instance: InstanceCache | undefined): Promise<void> {
  instance?.upkeep?.running?.abort();
  await instance?.members?.close();
  await instance?.controlPlane?.close();
}
