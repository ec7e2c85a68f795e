/** Represents a host cluster: client, permissions and caches of the objects that concern Karmada. */
import type { Duplex } from 'node:stream';
import type { TenantAddresses } from '../kubernetes/connection/addresses.ts';
import { Applier } from '../kubernetes/apply/apply.ts';
import type { CacheVersion } from '../kubernetes/apply/apply-cache.ts';
import type { CacheMemory } from '../kubernetes/informers/cache-quota/cache-memory.ts';
import { CacheQuota } from '../kubernetes/informers/cache-quota/cache-quota.ts';
import {
  LOCAL_QUOTA_LIMITS,
  type QuotaLimits,
} from '../kubernetes/informers/cache-quota/quota-limits.ts';
import type { CacheTotal } from '../kubernetes/informers/cache-total.ts';
import type { Clock, Log, Random } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { WatchTimes } from '../kubernetes/informers/freshness.ts';
import type { Reader } from '../kubernetes/client/call-gate.ts';
import {
  informerGroup,
  type AnyInformer,
  type InformerGroup,
} from '../kubernetes/informers/informer-group.ts';
import type { InformerOptions } from '../kubernetes/informers/informer-options.ts';
import type { Node, PersistentVolumeClaim, StorageClass } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import { reduceNode } from '../kubernetes/objects/node.ts';
import { BY_OWNER, ownerIndex } from '../kubernetes/informers/ownership.ts';
import { hashSecretValues } from '../kubernetes/objects/cache-transform.ts';
import { optionalField } from '../kubernetes/objects/records.ts';
import {
  namespacedType,
  namespaceOf,
  resources,
  type ResourceType,
} from '../kubernetes/objects/resources.ts';
import type { SharedValues } from '../kubernetes/informers/shared-values.ts';
import { reportingForbidden } from '../permissions/report-forbidden.ts';
import { HostPermissions, type HostPermissionsOptions } from '../permissions/host-permissions.ts';
import { reads, scopedPermissions, type WatchScope } from '../permissions/watch-scope.ts';
import { API_VERSION, FIELD_MANAGER, KIND, PLURAL, type Karmada } from '../api/karmada.ts';
import { COMPONENTS } from '../components/registry.ts';
import { markAutoscaled } from './autoscaled.ts';
import {
  isNew,
  karmadaRemainder,
  reduceKarmada,
  reduceNamespace,
  reducePod,
  reduceStorageClass,
  workloadRemainder,
} from './reduce-objects.ts';
import { COMPONENT, INSTANCE, MANAGED_BY, MANAGER, markApplied } from '../api/labels.ts';

/** Type of the custom resource. */
export const karmadas: ResourceType<Karmada> = namespacedType(API_VERSION, KIND, PLURAL);

/** Secrets of the first page of a list, because each may have 1 MiB. */
const SECRETS = 20;

/** Labels that map an object to its Karmada object in the same namespace. */
export const OWNER = { name: INSTANCE } as const;

export interface HostOptions {
  readonly client: KubernetesClient;
  /** Reader for the caches. Defaults to `client`. */
  readonly reader?: Reader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Memory of all caches of the process. */
  readonly memory?: CacheMemory;
  /** See `CacheOptions`. */
  readonly shared?: Pick<SharedValues, 'share'>;
  /** Limits of each namespace. */
  readonly limits?: QuotaLimits;
  /** Limit of all cached cluster-scoped objects together; without one they have no limit. */
  readonly clusterScoped?: CacheTotal;
  /** See `ApplierOptions.maxKept`. */
  readonly maxWritten?: number;
  readonly watchTimes?: WatchTimes;
  /** Permissions that the operator needs there. Defaults to those for the management cluster. */
  readonly rights?: Pick<HostPermissionsOptions, 'needed' | 'neededInNamespaces'>;
  /** Limits the caches to single namespaces. */
  readonly scope?: WatchScope;
}

/** Management cluster with the Karmada objects. It is the host cluster of each Karmada without a `secretRef`. */
export interface ManagementCluster extends Host {
  readonly karmadas: InformerGroup<Karmada>;
  readonly scope?: WatchScope;
}

/** Returns the cached Karmada object with this key (`namespace/name`). */
export function karmadaOf(
  { karmadas: { cache } }: Pick<ManagementCluster, 'karmadas'>,
  key: string,
): Karmada | undefined {
  const [namespace = '', name = ''] = key.split('/');
  return cache.get({ namespace, name });
}

/** Additional parts of a remote host cluster. */
export interface Remote {
  /** URL of its API server. */
  readonly server: string;
  /** Addresses to which the operator may connect if a Karmada or the host cluster specifies them. */
  readonly addresses: TenantAddresses;
  /** Dials a Pod port through the API server of the host cluster. */
  readonly forward: (target: PodPort) => Promise<Duplex>;
}

interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** Cluster that runs control planes. */
export interface Host {
  /** Absent for the management cluster, whose Pods the operator reaches directly. */
  readonly remote?: Remote;
  readonly client: KubernetesClient;
  /** RBAC permissions that the operator lacks in this cluster. */
  readonly rights: HostPermissions;
  readonly applier: Applier;
  /** Workloads, Services, PodDisruptionBudgets, NetworkPolicies and Secrets of the operator. Each belongs to one Karmada. */
  readonly owned: readonly InformerGroup[];
  readonly pods: InformerGroup<Pod>;
  readonly claims: InformerGroup<PersistentVolumeClaim>;
  /** Absent if the operator must not read Nodes. An empty cache would say that there are none. */
  readonly nodes?: InformerGroup<Node>;
  /** Absent if the operator must not read StorageClasses. */
  readonly storageClasses?: InformerGroup<StorageClass>;
  /** Namespaces, reduced to name, deletion timestamp, and the labels that the operator reads. Absent if the operator must not read them. */
  readonly namespaces?: InformerGroup;
  /** The informers of all caches, except `optional`. */
  readonly informers: readonly AnyInformer[];
  /** Informers of kinds that a role of an earlier operator version does not grant. Nothing fails if they cannot read. */
  readonly optional: readonly AnyInformer[];
  /** Limits of each namespace in the caches. */
  readonly quota: CacheQuota;
}

/** Creates the caches of the management cluster without starting them. */
export function createManagementCluster(options: HostOptions): ManagementCluster {
  const { scope } = options;
  const host = createHost({ ...options, limits: LOCAL_QUOTA_LIMITS });
  const keep = { isAdmitting: true, keepsAll: true, remainder: karmadaRemainder };
  const quota = { ...keep, of: host.quota };
  const own = informerGroup(
    { ...options, type: karmadas, transform: reduceKarmada, keepsManagedFields: isNew, quota },
    scope?.namespaces,
  );
  const informers = [...own.informers, ...host.informers];
  return { ...host, karmadas: own, informers, ...(scope && { scope }) };
}

/** Creates the caches of a host cluster without starting them. */
export function createHost(options: HostOptions): Host {
  const { reader: client = options.client, scope } = options;
  const of = new CacheQuota(options);
  const group = <T extends KubernetesObject>(
    type: ResourceType<T>,
    more: Partial<InformerOptions<T>> = {},
  ): InformerGroup<T> =>
    informerGroup({ ...options, client, type, quota: { of }, ...more }, scope?.namespaces);
  const workload = { quota: { of, remainder: workloadRemainder } };
  const ours = {
    labelSelector: `${MANAGED_BY}=${MANAGER}`,
    indexes: ownerIndex(OWNER),
  };
  const names = COMPONENTS.map(({ name }) => name).join(',');
  const parts = { labelSelector: `${COMPONENT} in (${names})`, indexes: ownerIndex(OWNER) };
  const owned = [
    group(resources.Deployment, { ...ours, ...workload, transform: markAutoscaled }),
    group(resources.StatefulSet, { ...ours, ...workload }),
    group(resources.Service, ours),
    group(resources.PodDisruptionBudget, { ...parts, transform: markApplied }),
    group(resources.Secret, { ...ours, transform: hashSecretValues, pageSize: SECRETS }),
  ];
  const policies = group(resources.NetworkPolicy, ours);
  const pods = group(resources.Pod, { ...parts, transform: reducePod });
  const claims = group(resources.PersistentVolumeClaim, parts);
  const ofCluster = clusterCaches({ ...options, client });
  const groups = [...owned, pods, claims, ...Object.values(ofCluster)];
  const informers = groups.flatMap((one) => one.informers);
  const caches = { owned: [...owned, policies], pods, claims, ...ofCluster };
  const { informers: optional } = policies;
  const cacheVersion: CacheVersion = ({ kind, metadata: { namespace = '' } }) =>
    [...groups, policies].find(({ type }) => type.kind === kind)?.versionIn(namespace);
  return { ...caches, ...withRights(options, cacheVersion), informers, optional, quota: of };
}

/** Caches of cluster-scoped objects, if the operator may read them. */
function clusterCaches(
  options: Omit<HostOptions, 'client'> & Pick<InformerOptions, 'client'>,
): Pick<Host, 'nodes' | 'storageClasses' | 'namespaces'> {
  const { scope, clusterScoped: total } = options;
  const { Node, StorageClass, Namespace } = resources;
  const common = { ...options, ...(total && { total }) };
  const nodes = { ...common, type: Node, transform: reduceNode };
  const classes = { ...common, type: StorageClass, transform: reduceStorageClass };
  const spaces = { ...common, type: Namespace, metadataOnly: true, transform: reduceNamespace };
  return {
    ...(reads(scope, 'nodes') && { nodes: informerGroup(nodes, undefined) }),
    ...(reads(scope, 'storageclasses') && { storageClasses: informerGroup(classes, undefined) }),
    ...(reads(scope, 'namespaces') && { namespaces: informerGroup(spaces, scope?.namespaces) }),
  };
}

/** Creates client, applier and permission check. A forbidden call triggers the permission check. */
function withRights(
  options: HostOptions,
  cacheVersion: CacheVersion,
): Pick<Host, 'client' | 'applier' | 'rights'> {
  const { scope, rights: needed = scopedPermissions(scope) } = options;
  const without = scope?.without ?? [];
  const rights = new HostPermissions({ ...options, ...needed, without });
  const client = reportingForbidden(options.client, () => rights.suspect());
  const kept = optionalField('maxKept', options.maxWritten);
  const applier = new Applier({ client, cacheVersion, fieldManager: FIELD_MANAGER, ...kept });
  return { client, rights, applier };
}

/** A cache without the objects of a namespace, which exceeds a limit or is being read. */
export class IncompleteCacheError extends Error {}

/**
 * Returns the cached objects of one Karmada.
 * @param key `namespace/name`
 * @throws IncompleteCacheError when a cache lacks objects of the namespace. A reconcile must not treat them as missing, also
 *   when they were dropped after it began
 */
export function ownedBy<T extends KubernetesObject>(
  groups: readonly Pick<InformerGroup<T>, 'cache' | 'isCompleteIn' | 'type'>[],
  key: string,
): T[] {
  const namespace = namespaceOf(key);
  return groups.flatMap(({ cache, isCompleteIn, type }) => {
    if (isCompleteIn(namespace)) return cache.byIndex(BY_OWNER, key);
    throw new IncompleteCacheError(
      `${type.plural} in namespace ${namespace}: the cache of the operator is incomplete`,
    );
  });
}

/** Returns the UID of the Namespace kube-system, which identifies a cluster. Undefined if there is none. */
export const clusterUid = ({ namespaces }: Pick<Host, 'namespaces'>): string | undefined =>
  namespaces?.cache.get({ name: 'kube-system' })?.metadata.uid;
