/** Shapes of the built-in kinds, with the fields that kinds.ts declares. An API server rejects objects with another shape. */
import type {
  ConfigMap,
  CustomResourceDefinition,
  Event,
  Lease,
  Node,
  ResourceQuota,
  Secret,
  Service,
  SubjectAccessReview,
} from '../objects/kinds.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { keysOf } from '../objects/records.ts';
import { resources, type ResourceType } from '../objects/resources.ts';
import { conditions, quantities } from './metadata.ts';
import { pod } from './pods.ts';
import {
  amount,
  fieldsOf,
  flag,
  listOf,
  needed,
  objectWith,
  text,
  textOrNumber,
  texts,
  type HasFields,
  type ObjectShape,
} from './shape.ts';
import {
  controllerRevision,
  deployment,
  job,
  persistentVolume,
  persistentVolumeClaim,
  podDisruptionBudget,
  replicaSet,
  statefulSet,
  storageClass,
} from './workloads.ts';

const secret = objectWith<Secret>({ type: text, data: texts });

const configMap = objectWith<ConfigMap>({ data: texts, binaryData: texts });

const node = objectWith<Node>({
  spec: fieldsOf({ taints: listOf(fieldsOf({ key: text })) }),
  status: fieldsOf({
    addresses: listOf(fieldsOf({ type: needed(text), address: needed(text) })),
    conditions,
  }),
});

const service = objectWith<Service>({
  spec: fieldsOf({
    type: text,
    clusterIP: text,
    clusterIPs: listOf(text),
    selector: texts,
    ports: listOf(
      fieldsOf({ name: text, port: needed(amount), targetPort: textOrNumber, nodePort: amount }),
    ),
    publishNotReadyAddresses: flag,
  }),
  status: fieldsOf({
    loadBalancer: fieldsOf({ ingress: listOf(fieldsOf({ ip: text, hostname: text })) }),
  }),
});

const resourceQuota = objectWith<ResourceQuota>({
  spec: fieldsOf({
    hard: quantities,
    scopes: listOf(text),
    scopeSelector: fieldsOf({
      matchExpressions: listOf(
        fieldsOf({ scopeName: needed(text), operator: needed(text), values: listOf(text) }),
      ),
    }),
  }),
  status: fieldsOf({ hard: quantities, used: quantities }),
});

const lease = objectWith<Lease>({
  spec: fieldsOf({
    holderIdentity: text,
    leaseDurationSeconds: amount,
    acquireTime: text,
    renewTime: text,
    leaseTransitions: amount,
  }),
});

const event = objectWith<Event>({
  type: text,
  reason: text,
  note: text,
  regarding: fieldsOf({ kind: text, name: text, uid: text, fieldPath: text }),
  eventTime: text,
  series: fieldsOf({ count: amount, lastObservedTime: text }),
  deprecatedCount: amount,
  deprecatedFirstTimestamp: text,
  deprecatedLastTimestamp: text,
});

const customResourceDefinition = objectWith<CustomResourceDefinition>({
  spec: fieldsOf({}),
  status: fieldsOf({ conditions }),
});

const accessReview = objectWith<SubjectAccessReview>({ status: fieldsOf({ allowed: flag }) });

type ObjectOf<R> = R extends ResourceType<infer T extends KubernetesObject> ? T : never;

/** Kinds of which kinds.ts declares fields. */
type Declared = {
  readonly [
    K in keyof typeof resources as HasFields<ObjectOf<(typeof resources)[K]>> extends true
      ? K
      : never
  ]: ObjectShape<ObjectOf<(typeof resources)[K]>>;
};

const SHAPES: Declared = {
  Secret: secret,
  ConfigMap: configMap,
  Node: node,
  Service: service,
  ResourceQuota: resourceQuota,
  Lease: lease,
  Event: event,
  CustomResourceDefinition: customResourceDefinition,
  SelfSubjectAccessReview: accessReview,
  SubjectAccessReview: accessReview,
  Pod: pod,
  Deployment: deployment,
  StatefulSet: statefulSet,
  ReplicaSet: replicaSet,
  ControllerRevision: controllerRevision,
  Job: job,
  PodDisruptionBudget: podDisruptionBudget,
  PersistentVolume: persistentVolume,
  PersistentVolumeClaim: persistentVolumeClaim,
  StorageClass: storageClass,
};

const BY_TYPE: ReadonlyMap<ResourceType, ObjectShape<KubernetesObject>> = new Map<
  ResourceType,
  ObjectShape<KubernetesObject>
>(keysOf(SHAPES).map((kind) => [resources[kind], SHAPES[kind]]));

/**
 * Returns the path of the first field of an object that has another type than its kind declares.
 * @returns undefined also for a kind that declares none
 */
export const fieldFault = (type: ResourceType, object: KubernetesObject): string | undefined =>
  (type.shape ?? BY_TYPE.get(type))?.(object)?.slice(1);
