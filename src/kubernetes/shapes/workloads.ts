/** Shapes of the objects that create Pods, and of their storage. */
import type {
  ClaimSpec,
  ClaimTemplate,
  ControllerRevision,
  Deployment,
  Job,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  ReplicaSet,
  StatefulSet,
  StorageClass,
} from '../objects/kinds.ts';
import { conditions, quantities } from './metadata.ts';
import { podTemplate, workloadTemplate } from './pods.ts';
import {
  amount,
  fieldsOf,
  flag,
  listOf,
  needed,
  objectWith,
  record,
  text,
  texts,
  untyped,
  type Shape,
} from './shape.ts';

const selector = fieldsOf<{ readonly matchLabels?: Readonly<Record<string, string>> }>({
  matchLabels: texts,
});

const replicated = { replicas: amount, selector, template: podTemplate } as const;

const workload = { ...replicated, template: needed(workloadTemplate) } as const;

const workloadStatus = {
  observedGeneration: amount,
  replicas: amount,
  readyReplicas: amount,
  updatedReplicas: amount,
  availableReplicas: amount,
  conditions,
} as const;

const claimSpec: Shape<ClaimSpec> = fieldsOf({
  storageClassName: text,
  volumeName: text,
  selector: record,
  dataSource: record,
  dataSourceRef: record,
  resources: fieldsOf({ requests: quantities, limits: quantities }),
});

export const deployment = objectWith<Deployment>({
  spec: needed(
    fieldsOf({ ...workload, minReadySeconds: amount, strategy: fieldsOf({ type: text }) }),
  ),
  status: fieldsOf(workloadStatus),
});

export const replicaSet = objectWith<ReplicaSet>({
  spec: fieldsOf(replicated),
  status: fieldsOf(workloadStatus),
});

const claimTemplates: Shape<readonly ClaimTemplate[]> = listOf(
  fieldsOf({
    metadata: fieldsOf({ name: text, labels: texts, annotations: texts, finalizers: listOf(text) }),
    spec: claimSpec,
  }),
);

export const statefulSet = objectWith<StatefulSet>({
  spec: needed(
    fieldsOf({
      ...workload,
      serviceName: text,
      podManagementPolicy: text,
      volumeClaimTemplates: claimTemplates,
    }),
  ),
  status: fieldsOf({ ...workloadStatus, updateRevision: text }),
});

export const controllerRevision = objectWith<ControllerRevision>({
  data: untyped(fieldsOf({ spec: fieldsOf({ template: podTemplate }) })),
});

export const job = objectWith<Job>({ spec: fieldsOf({ template: podTemplate }) });

export const podDisruptionBudget = objectWith<PodDisruptionBudget>({
  spec: fieldsOf({ selector }),
});

export const persistentVolumeClaim = objectWith<PersistentVolumeClaim>({
  spec: claimSpec,
  status: fieldsOf({
    phase: text,
    capacity: quantities,
    conditions,
    allocatedResourceStatuses: texts,
  }),
});

export const persistentVolume = objectWith<PersistentVolume>({
  spec: fieldsOf({
    claimRef: fieldsOf({ namespace: text, name: text }),
    persistentVolumeReclaimPolicy: text,
    nodeAffinity: fieldsOf({
      required: fieldsOf({
        nodeSelectorTerms: listOf(
          fieldsOf({
            matchExpressions: listOf(fieldsOf({ key: text, operator: text, values: listOf(text) })),
          }),
        ),
      }),
    }),
  }),
  status: fieldsOf({ phase: text }),
});

export const storageClass = objectWith<StorageClass>({ allowVolumeExpansion: flag });
