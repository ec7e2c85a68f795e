/** Represents a host cluster: client, permissions and caches of the objects that concern Karmada. */
import type { Duplex } from 'node:stream';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import { Applier } from '../kubernetes/apply.ts';
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/client-interface.ts';
import type { WatchTimes } from '../kubernetes/freshness.ts';
import type { Reader } from '../kubernetes/call-gate.ts';
import { Informer } from '../kubernetes/informer.ts';
import type { InformerOptions } from '../kubernetes/informer-options.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { reduceNode } from '../kubernetes/node.ts';
import { BY_OWNER, ownerIndex } from '../kubernetes/ownership.ts';
import { hashSecretValues } from '../kubernetes/cache-transform.ts';
import { namespacedType, resources, type ResourceType } from '../kubernetes/resources.ts';
import { reportingForbidden } from '../permissions/report-forbidden.ts';
import { HostPermissions, type HostPermissionsOptions } from '../permissions/host-permissions.ts';
import { permissionsOf } from '../permissions/needed.ts';
import { API_VERSION, FIELD_MANAGER, GROUP, KIND, PLURAL, type Karmada } from '../api/karmada.ts';
import { peerFlagsOf } from '../components/etcd/peer-flags.ts';
import { COMPONENTS } from '../components/registry.ts';
import { markAutoscaled } from './autoscaled.ts';
import { COMPONENT, INSTANCE, MANAGED_BY, MANAGER, markApplied } from '../api/labels.ts';

/** Type of the custom resource. */
export const karmadas: ResourceType = namespacedType(API_VERSION, KIND, PLURAL);

/** Labels that map an object to its Karmada object in the same namespace. */
export const OWNER = { name: INSTANCE } as const;

export interface HostOptions {
  readonly client: KubernetesClient;
  /** Reader for the caches. Defaults to `client`. */
  readonly reader?: Reader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** See `InformerOptions`. */
  readonly keptBytes?: number;
  readonly watchTimes?: WatchTimes;
  /** Permissions that the operator needs there. Defaults to those for the management cluster. */
  readonly rights?: Pick<HostPermissionsOptions, 'needed' | 'neededInNamespaces'>;
}

/** Management cluster with the Karmada objects. It is the host cluster of each Karmada without a `secretRef`. */
export interface ManagementCluster extends Host {
  readonly karmadas: Informer;
}

/** Returns the cached Karmada object with this key (`namespace/name`). */
export function karmadaOf(
  { karmadas: { cache } }: Pick<ManagementCluster, 'karmadas'>,
  key: string,
): Karmada | undefined {
  const [namespace = '', name = ''] = key.split('/');
  return cache.get({ namespace, name }) as Karmada | undefined;
}

/** Additional parts of a remote host cluster. */
export interface Remote {
  /** URL of its API server. */
  readonly server: string;
  /** Addresses to which the operator may connect if a Karmada or the host cluster specifies them. */
  readonly addresses: AddressPolicy;
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
  /** Workloads, Services, PodDisruptionBudgets and Secrets of the operator. Each belongs to one Karmada. */
  readonly owned: readonly Informer[];
  readonly pods: Informer;
  readonly claims: Informer;
  readonly nodes: Informer;
  readonly storageClasses: Informer;
  /** Namespaces, reduced to name and deletion timestamp. */
  readonly namespaces: Informer;
  readonly informers: readonly Informer[];
}

/** Creates the caches of the management cluster without starting them. */
export function createManagementCluster(options: HostOptions): ManagementCluster {
  const host = createHost(options);
  const own = new Informer({ ...options, type: karmadas });
  return { ...host, karmadas: own, informers: [own, ...host.informers] };
}

/** Creates the caches of a host cluster without starting them. */
export function createHost(options: HostOptions): Host {
  const { reader = options.client } = options;
  const informer = (type: ResourceType, more: Partial<InformerOptions> = {}): Informer =>
    new Informer({ ...options, client: reader, type, ...more });
  const ours = {
    labelSelector: `${MANAGED_BY}=${MANAGER}`,
    indexes: ownerIndex(OWNER),
  };
  const names = COMPONENTS.map(({ name }) => name).join(',');
  const parts = { labelSelector: `${COMPONENT} in (${names})`, indexes: ownerIndex(OWNER) };
  const owned = [
    informer(resources.Deployment, { ...ours, transform: markAutoscaled }),
    informer(resources.StatefulSet, ours),
    informer(resources.Service, ours),
    informer(resources.PodDisruptionBudget, { ...parts, transform: markApplied }),
    informer(resources.Secret, { ...ours, transform: hashSecretValues }),
  ];
  const host = {
    owned,
    pods: informer(resources.Pod, { ...parts, transform: reducePod }),
    claims: informer(resources.PersistentVolumeClaim, parts),
    nodes: informer(resources.Node, { transform: reduceNode }),
    storageClasses: informer(resources.StorageClass, { transform: reduceStorageClass }),
    namespaces: informer(resources.Namespace, { metadataOnly: true, transform: reduceNamespace }),
  };
  const { pods, claims, nodes, storageClasses, namespaces } = host;
  return {
    ...host,
    ...withRights(options),
    informers: [...owned, pods, claims, nodes, storageClasses, namespaces],
  };
}

/** Creates client, applier and permission check. A forbidden call triggers the permission check. */
function withRights(options: HostOptions): Pick<Host, 'client' | 'applier' | 'rights'> {
  const { rights: needed = { needed: permissionsOf('operator') } } = options;
  const rights = new HostPermissions({ ...options, ...needed });
  const client = reportingForbidden(options.client, () => rights.suspect());
  return { client, rights, applier: new Applier({ client, fieldManager: FIELD_MANAGER }) };
}

/** Returns the cached objects of one Karmada. @param key `namespace/name` */
export function ownedBy(informers: readonly Informer[], key: string): KubernetesObject[] {
  return informers.flatMap(({ cache }) => cache.byIndex(BY_OWNER, key));
}

/** Prefix of the annotations that the operator reads: of etcd members, and of a paused repair. */
const OWN_ANNOTATION = `${GROUP}/`;

/** Reduces a Pod for the cache to labels, annotations of the operator, images, the peer flags of etcd, and status. */
function reducePod(pod: KubernetesObject): KubernetesObject {
  const { annotations = {}, ...others } = pod.metadata;
  const own = Object.entries(annotations).filter(([name]) => name.startsWith(OWN_ANNOTATION));
  const metadata = { ...others, ...(own.length > 0 && { annotations: Object.fromEntries(own) }) };
  const { containers = [] } = (pod['spec'] ?? {}) as {
    containers?: readonly PodContainer[];
  };
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata,
    spec: { containers: containers.map(reduceContainer) },
    status: pod['status'],
  };
}

interface PodContainer {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

function reduceContainer(container: PodContainer): PodContainer {
  const { name, image } = container;
  const command = peerFlagsOf(container);
  return { name, image, ...(command.length > 0 && { command }) };
}

/** Reduces a StorageClass for the cache to its name, whether it is the default, and whether volumes may grow. */
function reduceStorageClass({
  apiVersion,
  kind,
  metadata,
  allowVolumeExpansion,
}: KubernetesObject): KubernetesObject {
  const { name, uid, resourceVersion, annotations = {} } = metadata;
  const marks = Object.entries(annotations).filter(([key]) => DEFAULT_CLASS.includes(key));
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(marks.length > 0 && { annotations: Object.fromEntries(marks) }),
    },
    ...(allowVolumeExpansion === true && { allowVolumeExpansion }),
  };
}

/** Reduces a Namespace for the cache, because a host cluster may have thousands with many labels. */
function reduceNamespace({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { name, uid, resourceVersion, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
  };
}

/**
 * Returns whether a Namespace is terminating. Kubernetes cannot cancel such a deletion. Confirms a cached deletion
 * with a live read, because a new Namespace with the same name may exist.
 */
export async function isNamespaceEnding(
  { namespaces, client }: Pick<Host, 'namespaces' | 'client'>,
  name: string,
): Promise<boolean> {
  if (namespaces.cache.get({ name })?.metadata.deletionTimestamp === undefined) return false;
  const live = await client.find(resources.Namespace, { name });
  return live?.metadata.deletionTimestamp !== undefined;
}

/** Returns the UID of the Namespace kube-system, which identifies a cluster. Undefined if there is none. */
export const clusterUid = ({ namespaces }: Pick<Host, 'namespaces'>): string | undefined =>
  namespaces.cache.get({ name: 'kube-system' })?.metadata.uid;

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Returns whether the host cluster has a default StorageClass. */
export function hasDefaultStorageClass(host: Pick<Host, 'storageClasses'>): boolean {
  return host.storageClasses.cache.list().some(isDefaultClass);
}

/** Returns whether a StorageClass is marked as default. */
export const isDefaultClass = ({ metadata }: KubernetesObject): boolean =>
  DEFAULT_CLASS.some((annotation) => metadata.annotations?.[annotation] === 'true');
