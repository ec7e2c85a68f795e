/** The host cluster as a value: how to write to it, and caches of what in it concerns Karmadas. */
import type { Duplex } from 'node:stream';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import { Applier } from '../kubernetes/apply.ts';
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import type { WatchTimes } from '../kubernetes/freshness.ts';
import type { Reader } from '../kubernetes/gate.ts';
import { Informer, type InformerOptions } from '../kubernetes/informer.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { BY_OWNER, ownerIndex } from '../kubernetes/ownership.ts';
import { reduceSecret } from '../kubernetes/reduce.ts';
import { namespacedType, resources, type ResourceType } from '../kubernetes/resources.ts';
import { hearingForbidden } from '../rights/hearing-forbidden.ts';
import { HostRights, type HostRightsOptions } from '../rights/host-rights.ts';
import { rightsOf } from '../rights/needed.ts';
import { API_VERSION, FIELD_MANAGER, KIND, PLURAL, type Karmada } from '../api/karmada.ts';
import { EFFECTIVE_HASH } from '../components/etcd/effective-hash.ts';
import { COMPONENTS } from '../components/registry.ts';
import { noteAutoscaler } from './note-autoscaler.ts';
import { COMPONENT, INSTANCE, MANAGED_BY, MANAGER } from '../api/labels.ts';

/** Type of the custom resource. */
export const karmadas: ResourceType = namespacedType(API_VERSION, KIND, PLURAL);

/** Labels that lead from an object to its Karmada, in the same namespace. */
export const OWNER = { name: INSTANCE } as const;

export interface HostOptions {
  readonly client: KubernetesClient;
  /** For the caches; the client when absent. */
  readonly reader?: Reader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** See `InformerOptions`. */
  readonly keptBytes?: number;
  readonly watchTimes?: WatchTimes;
  /** Rights that the operator needs there; those of its own cluster when absent. */
  readonly rights?: Pick<HostRightsOptions, 'needed' | 'neededInNamespaces'>;
}

/** The cluster of the operator, which has the Karmadas. It is a host, too: of those that name no other. */
export interface Local extends Host {
  readonly karmadas: Informer;
}

/** The Karmada with that key (`namespace/name`), as the cache has it. */
export function karmadaOf(
  { karmadas: { cache } }: Pick<Local, 'karmadas'>,
  key: string,
): Karmada | undefined {
  const [namespace = '', name = ''] = key.split('/');
  return cache.get({ namespace, name }) as Karmada | undefined;
}

/** What is different about a host that is not the operator's own cluster. */
export interface Remote {
  /** URL of its API server. */
  readonly server: string;
  /** Which addresses may be connected to that the Karmada or the host names. */
  readonly addresses: AddressPolicy;
  /** Dials a port of a pod through its API server. */
  readonly forward: (target: PodPort) => Promise<Duplex>;
}

interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** A cluster in which control planes run. */
export interface Host {
  /** Absent for the operator's own cluster, whose pods it reaches itself. */
  readonly remote?: Remote;
  readonly client: KubernetesClient;
  /** Which rights the operator lacks here. */
  readonly rights: HostRights;
  readonly applier: Applier;
  /** Workloads, Services, budgets and Secrets that we made; each belongs to one Karmada. */
  readonly owned: readonly Informer[];
  readonly pods: Informer;
  readonly claims: Informer;
  readonly nodes: Informer;
  readonly storageClasses: Informer;
  /** Of each namespace only whether it is being deleted. */
  readonly namespaces: Informer;
  readonly informers: readonly Informer[];
}

/** Wires the caches of the operator's own cluster; nothing is started yet. */
export function createLocal(options: HostOptions): Local {
  const host = createHost(options);
  const own = new Informer({ ...options, type: karmadas });
  return { ...host, karmadas: own, informers: [own, ...host.informers] };
}

/** Wires the caches of a host cluster; nothing is started yet. */
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
    informer(resources.Deployment, { ...ours, transform: noteAutoscaler }),
    informer(resources.StatefulSet, ours),
    informer(resources.Service, ours),
    informer(resources.PodDisruptionBudget, ours),
    informer(resources.Secret, { ...ours, transform: reduceSecret }),
  ];
  const host = {
    owned,
    pods: informer(resources.Pod, { ...parts, transform: reducePod }),
    claims: informer(resources.PersistentVolumeClaim, parts),
    nodes: informer(resources.Node, { transform: reduceNode }),
    storageClasses: informer(resources.StorageClass, { metadataOnly: true }),
    namespaces: informer(resources.Namespace, { metadataOnly: true, transform: reduceNamespace }),
  };
  const { pods, claims, nodes, storageClasses, namespaces } = host;
  return {
    ...host,
    ...withRights(options),
    informers: [...owned, pods, claims, nodes, storageClasses, namespaces],
  };
}

/** What writes to a host; a call that is forbidden has the rights looked at. */
function withRights(options: HostOptions): Pick<Host, 'client' | 'applier' | 'rights'> {
  const { rights: needed = { needed: rightsOf('operator') } } = options;
  const rights = new HostRights({ ...options, ...needed });
  const client = hearingForbidden(options.client, () => rights.suspect());
  return { client, rights, applier: new Applier({ client, fieldManager: FIELD_MANAGER }) };
}

/** Objects of some informers that belong to one Karmada. */
export function ownedBy(informers: readonly Informer[], key: string): KubernetesObject[] {
  return informers.flatMap(({ cache }) => cache.byIndex(BY_OWNER, key));
}

/** What tells how a pod is: its labels, where it runs, its images and its status. */
function reducePod(pod: KubernetesObject): KubernetesObject {
  const { annotations, ...others } = pod.metadata;
  const hash = annotations?.[EFFECTIVE_HASH];
  const metadata = { ...others, ...(hash && { annotations: { [EFFECTIVE_HASH]: hash } }) };
  const { containers = [] } = (pod['spec'] ?? {}) as {
    containers?: readonly { name: string; image: string }[];
  };
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata,
    spec: { containers: containers.map(({ name, image }) => ({ name, image })) },
    status: pod['status'],
  };
}

/** Labels and addresses; heartbeats change a node all the time. */
function reduceNode(node: KubernetesObject): KubernetesObject {
  const { addresses } = (node['status'] ?? {}) as { addresses?: unknown };
  const { name, uid, resourceVersion, labels } = node.metadata;
  return {
    apiVersion: node.apiVersion,
    kind: node.kind,
    metadata: {
      name,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(labels !== undefined && { labels }),
    },
    status: { addresses },
  };
}

/** Its life, without the labels of a host that may have thousands. */
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
 * Whether a namespace is being deleted, which never ends otherwise. The cache alone is not believed: a new namespace
 * may have the name by now.
 */
export async function isNamespaceEnding(
  { namespaces, client }: Pick<Host, 'namespaces' | 'client'>,
  name: string,
): Promise<boolean> {
  if (namespaces.cache.get({ name })?.metadata.deletionTimestamp === undefined) return false;
  const live = await client.find(resources.Namespace, { name });
  return live?.metadata.deletionTimestamp !== undefined;
}

/** What no other cluster has: the uid of its namespace kube-system. Undefined when it has none. */
export const clusterUid = ({ namespaces }: Pick<Host, 'namespaces'>): string | undefined =>
  namespaces.cache.get({ name: 'kube-system' })?.metadata.uid;

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Whether claims without a class get a volume on this host. */
export function hasDefaultStorageClass(host: Pick<Host, 'storageClasses'>): boolean {
  return host.storageClasses.cache.list().some(isDefaultClass);
}

/** Whether a StorageClass is the one for claims that name none. */
export const isDefaultClass = ({ metadata }: KubernetesObject): boolean =>
  DEFAULT_CLASS.some((annotation) => metadata.annotations?.[annotation] === 'true');
