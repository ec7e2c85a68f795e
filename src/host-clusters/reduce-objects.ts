/** Cache transforms of the objects of a host cluster. */
import { FINALIZER, GROUP, type Karmada } from '../api/karmada.ts';
import { peerFlagsOf } from '../components/etcd/peer-flags.ts';
import {
  identifying,
  type KubernetesObject,
  type ObjectMeta,
} from '../kubernetes/objects/object.ts';
import type { StorageClass } from '../kubernetes/objects/kinds.ts';
import type { Container, Pod } from '../kubernetes/objects/pod-kinds.ts';
import { INSTANCE } from '../api/labels.ts';
import { sizeOf } from '../kubernetes/informers/cache-quota/size-of.ts';
import { isNamespaceLabel } from './host-namespace.ts';

/** Prefix of the annotations that the operator reads: of etcd members, and of a paused repair. */
const OWN_ANNOTATION = `${GROUP}/`;

/** Annotations that mark the default StorageClass. */
export const DEFAULT_CLASS: readonly string[] = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const ownAnnotations = ({ annotations = {} }: ObjectMeta): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(annotations).filter(([name]) => name.startsWith(OWN_ANNOTATION)),
  );

/** The metadata without annotations of others, such as the copy of the object by kubectl. */
function withOwnAnnotations({ annotations: given, ...others }: ObjectMeta): ObjectMeta {
  const annotations = ownAnnotations({ ...others, ...(given && { annotations: given }) });
  return { ...others, ...(Object.keys(annotations).length > 0 && { annotations }) };
}

/** Reduces a Karmada object for the cache: without annotations of others. */
export const reduceKarmada = (karmada: Karmada): Karmada => ({
  ...karmada,
  metadata: withOwnAnnotations(karmada.metadata),
});

/** Whether the operator has not stored its defaults in a Karmada object yet, which needs the managed fields. */
export const isNew = ({ metadata: { finalizers = [] } }: Karmada): boolean =>
  !finalizers.includes(FINALIZER);

/** Maximum size of a field that remains of a Karmada object, in characters of JSON. */
const MAX_REMAINING = 65_536;

/**
 * What the cache keeps of a Karmada object in a namespace that exceeds a limit: what other Karmada objects depend on, such as
 * its name and its external etcd, and its status. The operator only writes its status.
 */
export function karmadaRemainder(karmada: Karmada): Karmada {
  const { apiVersion, kind, metadata, status } = karmada;
  const { namespace = '', creationTimestamp, deletionTimestamp, generation } = metadata;
  const { hostCluster, suspend, components } = karmada.spec ?? {};
  const etcd = defined({ etcd: components?.etcd });
  const spec = defined({ suspend, hostCluster: small(hostCluster), components: small(etcd) });
  const times = { creationTimestamp, deletionTimestamp };
  const own = defined({ ...identifying(metadata), namespace, generation, ...times });
  return defined({ apiVersion, kind, metadata: own, spec, status: small(status) });
}

const small = <T>(value: T): T | undefined => (sizeOf(value) > MAX_REMAINING ? undefined : value);

type Remainder = Pick<KubernetesObject, 'apiVersion' | 'kind' | 'metadata'>;

/** What the cache keeps of a workload that belongs to no Karmada object: enough to report an orphaned control plane. */
export function workloadRemainder(workload: KubernetesObject): Remainder | undefined {
  const { apiVersion, kind, metadata } = workload;
  const { name, namespace = '', labels = {}, deletionTimestamp } = metadata;
  const instance = labels[INSTANCE];
  if (instance === undefined) return undefined;
  const own = { name, namespace, labels: { [INSTANCE]: instance }, deletionTimestamp };
  return { apiVersion, kind, metadata: defined(own) };
}

/** The object without fields that are undefined, which exist in no JSON. */
const defined = <T extends object>(object: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Defined<T>;

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Reduces a Pod for the cache to labels, annotations of the operator, images, its node, the peer flags of etcd, and status. */
export function reducePod(pod: Pod): Pod {
  const metadata = withOwnAnnotations(pod.metadata);
  const { containers = [], nodeName } = pod.spec ?? {};
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata,
    spec: {
      containers: containers.map(reduceContainer),
      ...(nodeName !== undefined && { nodeName }),
    },
    status: pod.status,
  };
}

function reduceContainer(container: Container): Container {
  const { name, image } = container;
  const command = peerFlagsOf(container);
  return { name, image, ...(command.length > 0 && { command }) };
}

/** Reduces a StorageClass for the cache to its name, whether it is the default, and whether volumes may grow. */
export function reduceStorageClass({
  apiVersion,
  kind,
  metadata,
  allowVolumeExpansion,
}: StorageClass): StorageClass {
  const { annotations = {} } = metadata;
  const marks = Object.entries(annotations).filter(([key]) => DEFAULT_CLASS.includes(key));
  return {
    apiVersion,
    kind,
    metadata: {
      ...identifying(metadata),
      ...(marks.length > 0 && { annotations: Object.fromEntries(marks) }),
    },
    ...(allowVolumeExpansion === true && { allowVolumeExpansion }),
  };
}

/** Reduces a Namespace for the cache, because a host cluster may have thousands with many labels. */
export function reduceNamespace({
  apiVersion,
  kind,
  metadata,
}: KubernetesObject): KubernetesObject {
  const { deletionTimestamp, labels = {} } = metadata;
  const read = Object.entries(labels).filter(([key]) => isNamespaceLabel(key));
  return {
    apiVersion,
    kind,
    metadata: {
      ...identifying(metadata),
      ...(read.length > 0 && { labels: Object.fromEntries(read) }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
  };
}
