/** Assembles the reconciler of the operator from its parts. */
import { LongResponses } from '../../kubernetes/client/long-responses.ts';
import { ReceivedData } from '../../kubernetes/fairness/received-data.ts';
import { ThreadShares } from '../../kubernetes/fairness/thread-shares.ts';
import type { TenantPods } from '../../components/pod-security.ts';
import type { PodSecurityLevel } from '../../host-clusters/host-namespace.ts';
import { Archives } from '../../crd-archives/archives.ts';
import { EtcdObserver } from '../../etcd/observer.ts';
import { ExternalEtcds } from '../../external-etcd/external-etcds.ts';
import type { ProxySettings } from '../../crd-archives/proxies.ts';
import type { CrossNamespaceSecrets, SecretPolicy } from '../../api/secrets/secret-grant.ts';
import type { Templates } from '../../components/render.ts';
import type { AddressesOf, AddressPolicy } from '../../kubernetes/connection/addresses.ts';
import type { CacheMemory } from '../../kubernetes/informers/cache-quota/cache-memory.ts';
import type { Clock, Log, Random } from '../../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { EventRecorder } from '../../kubernetes/client/events.ts';
import type { OnCalls } from '../../kubernetes/client/finished-call.ts';
import type { WatchTimes } from '../../kubernetes/informers/freshness.ts';
import type { RateLimit } from '../../kubernetes/fairness/limiter.ts';
import { addressesOf, NameResolver } from '../../kubernetes/connection/name-resolver.ts';
import type { WorkQueue } from '../../kubernetes/workqueue/queue.ts';
import { SharedValues } from '../../kubernetes/informers/shared-values.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import { EventReader } from '../../features/causes/event-reader.ts';
import { cachedOrphans } from '../../orphans/find-orphans.ts';
import type { Orphan } from '../../orphans/orphans.ts';
import type { Reconciler } from '../../kubernetes/workqueue/reconciler.ts';
import { readingOnlyIn } from '../../kubernetes/client/namespace-guard.ts';
import type { Term } from '../../kubernetes/time/term.ts';
import type { WatchScope } from '../../permissions/watch-scope.ts';
import { HostLimits, MAX_HOST_CLUSTERS } from '../../host-clusters/host-limits.ts';
import { RemoteHosts, type RemoteHostsOptions } from '../../host-clusters/remote-hosts.ts';
import { cachesSynced, startCaches, stopCaches } from '../../host-clusters/start-caches.ts';
import { withErrorStatus } from './reconcile-errors.ts';
import { createManagementCluster, type ManagementCluster } from '../../host-clusters/host.ts';
import {
  hostedControlPlanes,
  type HostedControlPlanes,
} from '../../features/backups/backup-cluster.ts';
import { flowOf } from '../../features/remote-host/host-resolution.ts';
import {
  controlPlaneFacts,
  type ControlPlaneFacts,
} from '../../features/control-plane/control-plane-facts.ts';
import { InstanceCaches } from '../../instance/instance-cache.ts';
import { periodicChecks } from './periodic-checks.ts';
import type { RolloutLimit } from '../../instance/rollout-turn.ts';
import { DEFAULT_ROLLOUT_LIMIT } from '../../features/operator-rollout/rollout-order.ts';
import { createReconcile } from './reconcile.ts';
import type { ReconcileRecord } from '../../actions/reconcile-record.ts';
import { urgencyOf, wireHost, wireLocal, type Enqueue } from './wire-changes.ts';
import { wireRollouts } from './wire-rollouts.ts';
import { createSecretPolicy } from '../../api/secrets/secret-policy.ts';
import {
  clusterProblem,
  droppedNamespaces,
  unready,
  watchStates,
  type DroppedNamespace,
  type WatchState,
} from '../../features/status/watch-states.ts';

export interface ReconcilerOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly crossNamespaceSecrets: CrossNamespaceSecrets;
  /** Policy for addresses that Karmadas may reference. */
  readonly addresses: AddressPolicy;
  /** Which Pods the operator creates; any by default. */
  readonly tenantPods?: TenantPods;
  /** Level of namespaces in host clusters, if that in the management cluster has none; restricted by default. */
  readonly hostPodSecurity?: PodSecurityLevel;
  /** Maximum number of remote host clusters of a namespace; 100 by default. */
  readonly maxHostClusters?: number;
  /** Rate limit of requests to each remote host cluster. */
  readonly rateLimit?: RateLimit;
  /** Of the clients of host clusters, control planes and member clusters, see `ClientOptions`. */
  readonly term?: Term;
  readonly templates: Templates;
  readonly keys: KeyGenerator;
  /** User agent of requests to control planes. */
  readonly userAgent: string;
  /** Absolute paths of preloaded CRD archives, each in `cache/<sha256 of the URL>/crds.tar.gz`. */
  readonly dataDirectories: readonly string[];
  /** Absolute path of downloaded CRD archives. */
  readonly cacheDirectory: string;
  /** Proxy settings of the process, used for downloads. */
  readonly proxies: ProxySettings;
  /** Number of control planes whose Pods a new operator version may change at once. Defaults to 10 percent. */
  readonly rolloutLimit?: RolloutLimit;
  /** Time without progress after which a control plane has failed, in milliseconds. Defaults to 5 minutes. */
  readonly progressDeadlineMs?: number;
  /** Leader Lease of this operator. */
  readonly ownLease?: { readonly namespace: string; readonly name: string };
  /** Namespace of the Pods of this operator. */
  readonly operatorNamespace?: string;
  /** Image of the operator, for the Pods of restores. */
  readonly backupImage?: string | undefined;
  /** See `ArchivesOptions`; empty if not set. */
  readonly archiveUrl?: string;
  /** Receives failures, repairs and times, for metrics. */
  readonly record?: ReconcileRecord;
  /** Receives the calls to remote host clusters, control planes and member clusters, for metrics. */
  readonly onCalls?: OnCalls;
  /** Limits the operator to single namespaces of the management cluster. */
  readonly scope?: WatchScope;
  /** Memory that all caches of the process may use. */
  readonly memory?: CacheMemory;
  /** Watch timeouts of all caches; set only in tests. */
  readonly watchTimes?: WatchTimes;
}

export interface MetricSources {
  /** All caches of the operator, for metrics. */
  watches(): readonly WatchState[];
  /** Namespaces that exceed a limit of the caches, for metrics. */
  droppedNamespaces(): readonly DroppedNamespace[];
  /** What the operator knows about each control plane, for metrics. */
  controlPlanes(): readonly ControlPlaneFacts[];
}

export interface OrphanFinder {
  /** Finds control planes without a Karmada. @throws Error if the caches are stale */
  findOrphans(): Promise<readonly Orphan[]>;
}

type OnOpen = RemoteHostsOptions['onOpen'];

/** Creates the reconciler of all Karmadas in the management cluster, for local and remote host clusters. */
export function createReconciler(
  given: ReconcilerOptions,
): Reconciler & OrphanFinder & MetricSources & HostedControlPlanes {
  const [options, instances] = [partsOf(given), new InstanceCaches()];
  const local = createManagementCluster(options);
  let queue: WorkQueue | undefined;
  const enqueue: Enqueue = (key, priority) => queue?.add(key, urgencyOf(local, key, priority));
  const secretPolicy = secretPolicyOf(options, local);
  const onOpen: OnOpen = (host, users) =>
    void (queue && wireHost({ host, users }, { local, queue, clock: options.clock }));
  const services = backgroundServices({ ...options, secretPolicy }, { onChange: enqueue, onOpen });
  const own = { secretPolicy, local, hostLimits: hostLimitsOf(options, local), instances, enqueue };
  const tools = { ...options, ...services, ...own, ...limitsOf(options) };
  const checks = periodicChecks(options, tools, (key) => enqueue(key, 'low'));
  return {
    reconcile: withErrorStatus(createReconcile(tools), tools),
    flowOf: (key) => flowOf(local, key),
    synced: Promise.race([cachesSynced(local, options.clock), checks.overdue]),
    unready: () => unready(local),
    watches: () => watchStates(local, services.hosts.opened(), instances),
    controlPlanes: () => controlPlaneFacts(tools),
    start(given) {
      queue = given;
      wireLocal({ local, queue: given, clock: options.clock, record: options.record });
      wireRollouts(tools, given);
      startCaches(local);
      checks.start();
    },
    ...hostedControlPlanes(tools),
    droppedNamespaces: () => droppedNamespaces(local, services.hosts.opened()),
    findOrphans: () => orphansOf(local, services.hosts),
    rest: () => [services.archives, instances].forEach((part) => part.rest()),
    async stop() {
      await stopCaches(local);
      const { archives, etcds, etcdMembers, eventReader, hosts } = services;
      for (const part of [checks, archives, etcds, etcdMembers, eventReader]) part.close();
      for (const part of [instances, hosts]) await part.close();
    },
  };
}

interface Parts extends Omit<ReconcilerOptions, 'addresses'> {
  readonly addresses: AddressesOf;
  /** For responses of host clusters, control planes and external etcds. */
  readonly thread: ThreadShares;
  /** Of host clusters and control planes. */
  readonly responses: LongResponses;
  /** Of the caches of all clusters. */
  readonly shared: SharedValues;
}
const limitsOf = ({
  rolloutLimit = DEFAULT_ROLLOUT_LIMIT,
  tenantPods = 'Any',
  hostPodSecurity = 'restricted',
  progressDeadlineMs = 300_000,
}: Parts) => ({ rolloutLimit, tenantPods, hostPodSecurity, progressDeadlineMs });

const hostLimitsOf = (
  { maxHostClusters = MAX_HOST_CLUSTERS }: Parts,
  { karmadas }: ManagementCluster,
): HostLimits => new HostLimits(maxHostClusters, karmadas);

/** References of a Karmada to objects of a namespace that the operator does not watch fail. */
function partsOf({ client, addresses, ...options }: ReconcilerOptions): Parts {
  const { clock, scope, rateLimit } = options;
  const thread = new ThreadShares(clock, rateLimit?.origins);
  return {
    ...options,
    client: scope ? readingOnlyIn(client, scope.namespaces) : client,
    addresses: addressesOf(addresses, new NameResolver(), new ReceivedData(clock, thread)),
    thread,
    responses: new LongResponses({ clock, origins: rateLimit?.origins, thread }),
    shared: new SharedValues(),
  };
}

/** @throws Error if the caches are stale or incomplete */
async function orphansOf(local: ManagementCluster, hosts: RemoteHosts): Promise<readonly Orphan[]> {
  const problem = clusterProblem(local.informers);
  if (problem !== undefined) throw new Error(problem.message);
  return cachedOrphans(local, hosts.reached());
}

const secretPolicyOf = (
  { crossNamespaceSecrets }: Pick<ReconcilerOptions, 'crossNamespaceSecrets'>,
  { karmadas }: ManagementCluster,
): SecretPolicy => createSecretPolicy(crossNamespaceSecrets, () => karmadas.cache.list());

interface BackgroundServices {
  readonly archives: Archives;
  readonly etcds: ExternalEtcds;
  readonly etcdMembers: EtcdObserver;
  readonly eventReader: EventReader;
  readonly hosts: RemoteHosts;
}

/** Creates the parts that run in the background: archive downloads, etcd probes and host cluster connections. */
function backgroundServices(
  options: Parts & { readonly secretPolicy: SecretPolicy },
  reported: {
    readonly onChange: (key: string) => void;
    readonly onOpen: OnOpen;
  },
): BackgroundServices {
  // Archives have limits of their own for memory.
  const { memory, ...others } = options;
  const { dataDirectories, cacheDirectory, archiveUrl = '' } = others;
  const ready = [...dataDirectories, cacheDirectory];
  return {
    archives: new Archives({ ...others, ...reported, ready, archiveUrl, writable: cacheDirectory }),
    etcds: new ExternalEtcds({ ...others, ...reported }),
    etcdMembers: new EtcdObserver({ ...others, ...reported }),
    eventReader: new EventReader({ ...others, ...reported }),
    hosts: new RemoteHosts({ ...others, ...reported, ...(memory && { memory }) }),
  };
}
