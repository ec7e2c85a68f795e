/** Defaults that the API server sets when an object is created, as far as the operator or a controller reads them. */
import { randomUUID } from 'node:crypto';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { stubNow } from '../clock.ts';
import { omit, type Json } from './json.ts';

/** What the API server allocates. */
export interface Allocations {
  /** A free address for a Service. */
  readonly serviceAddress: () => string;
  readonly nodePort: () => number;
  /** Name of the default StorageClass. */
  readonly storageClass?: string;
}

type Defaults = (object: KubernetesObject, allocations: Allocations) => KubernetesObject;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Moves `stringData` of a Secret to `data`. */
export function withData(object: KubernetesObject): KubernetesObject {
  const { stringData, ...rest } = object;
  if (object.kind !== 'Secret' || stringData === undefined) return object;
  const texts = Object.entries(stringData as Record<string, string>);
  const data = Object.fromEntries(texts.map(([key, text]) => [key, base64(text)]));
  return { ...rest, data: { ...(rest['data'] as object | undefined), ...data } };
}

const service: Defaults = (object, allocations) => {
  const spec = (object['spec'] ?? {}) as Json;
  const { type = 'ClusterIP', clusterIP = allocations.serviceAddress() } = spec;
  const isExposed = type === 'NodePort' || type === 'LoadBalancer';
  const ports = ((spec['ports'] ?? []) as readonly Json[]).map((port) => ({
    protocol: 'TCP',
    targetPort: port['port'],
    ...port,
    ...(isExposed && { nodePort: port['nodePort'] ?? allocations.nodePort() }),
  }));
  const defaults = { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' };
  return {
    ...object,
    spec: { ...defaults, ...spec, type, clusterIP, clusterIPs: [clusterIP], ports },
    status: { loadBalancer: {} },
  };
};

const namespace: Defaults = (object) => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
  },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
});

const claim: Defaults = (object, { storageClass }) => ({
  ...object,
  metadata: {
    ...object.metadata,
    finalizers: [...(object.metadata.finalizers ?? []), 'kubernetes.io/pvc-protection'],
  },
  spec: {
    ...(storageClass !== undefined && { storageClassName: storageClass }),
    volumeMode: 'Filesystem',
    ...(object['spec'] as object),
  },
  status: { phase: 'Pending' },
});

const pod: Defaults = (object) => ({
  ...object,
  spec: {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    ...(object['spec'] as object),
  },
  status: { phase: 'Pending', qosClass: 'Burstable' },
});

const workload: Defaults = (object) => ({
  ...object,
  spec: { replicas: 1, ...(object['spec'] as object) },
  status: {},
});

const BY_KIND: Readonly<Record<string, Defaults>> = {
  Secret: (object) => ({ type: 'Opaque', ...object }),
  Service: service,
  Namespace: namespace,
  PersistentVolumeClaim: claim,
  Pod: pod,
  Deployment: workload,
  StatefulSet: workload,
  Node: (object) => ({ ...object, status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
  PersistentVolume: (object) => ({ ...object, status: { phase: 'Available' } }),
};

/** A new object as the API server stores it. */
export function created(object: KubernetesObject, allocations: Allocations): KubernetesObject {
  const defaulted = BY_KIND[object.kind]?.(object, allocations) ?? object;
  const creationTimestamp = new Date(stubNow()).toISOString().replace(/\.\d+/, '');
  const metadata = omit(defaulted.metadata, 'resourceVersion');
  return {
    ...defaulted,
    metadata: {
      ...metadata,
      name: object.metadata.name,
      uid: randomUUID(),
      creationTimestamp,
      generation: 1,
    },
  };
}
