/** Cache transforms of the objects of a host cluster. */
import { GROUP } from '../api/karmada.ts';
import { peerFlagsOf } from '../components/etcd/peer-flags.ts';
import { identifying, type KubernetesObject } from '../kubernetes/object.ts';

/** Prefix of the annotations that the operator reads: of etcd members, and of a paused repair. */
const OWN_ANNOTATION = `${GROUP}/`;

/** Annotations that mark the default StorageClass. */
export const DEFAULT_CLASS: readonly string[] = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Reduces a Pod for the cache to labels, annotations of the operator, images, the peer flags of etcd, and status. */
export function reducePod(pod: KubernetesObject): KubernetesObject {
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
export function reduceStorageClass({
  apiVersion,
  kind,
  metadata,
  allowVolumeExpansion,
}: KubernetesObject): KubernetesObject {
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
  const { deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...identifying(metadata),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
  };
}
