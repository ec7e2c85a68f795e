/**
 * Built-in kinds in raw JSON form, with the fields that the operator reads. All fields of a spec or status are optional: an
 * API server may be older, or send only metadata. Each field has a shape in shapes/, which a client checks.
 */
import type { KubernetesObject, ObjectCondition } from './object.ts';
import type { Others, PodTemplate, Quantities, Texts } from './pod-kinds.ts';

interface Selector extends Others {
  readonly matchLabels?: Texts;
}

interface Requests extends Others {
  readonly requests?: Quantities;
  readonly limits?: Quantities;
}

export interface Secret extends KubernetesObject {
  readonly type?: string;
  /** Values in base64. */
  readonly data?: Texts;
}

export interface ConfigMap extends KubernetesObject {
  readonly data?: Texts;
  readonly binaryData?: Texts;
}

export interface Node extends KubernetesObject {
  readonly spec?: Others & { readonly taints?: readonly { readonly key?: string }[] };
  readonly status?: Others & {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly ObjectCondition[];
  };
}

export interface PersistentVolume extends KubernetesObject {
  readonly spec?: Others & {
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    readonly persistentVolumeReclaimPolicy?: string;
    readonly nodeAffinity?: {
      readonly required?: { readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] };
    };
  };
  readonly status?: Others & { readonly phase?: string };
}

interface NodeSelectorTerm extends Others {
  readonly matchExpressions?: readonly NodeRequirement[];
}

interface NodeRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** `spec` of a PVC or of a PVC template. */
export interface ClaimSpec extends Others {
  readonly storageClassName?: string;
  readonly volumeName?: string;
  readonly selector?: object;
  readonly dataSource?: object;
  readonly dataSourceRef?: object;
  readonly resources?: Requests;
}

export interface PersistentVolumeClaim extends KubernetesObject {
  readonly spec?: ClaimSpec;
  readonly status?: Others & {
    readonly phase?: string;
    readonly capacity?: Quantities;
    readonly conditions?: readonly ObjectCondition[];
    readonly allocatedResourceStatuses?: Texts;
  };
}

interface ServicePort extends Others {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: string | number;
  readonly nodePort?: number;
}

export interface Service extends KubernetesObject {
  readonly spec?: Others & {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly selector?: Texts;
    readonly ports?: readonly ServicePort[];
    readonly publishNotReadyAddresses?: boolean;
  };
  readonly status?: Others & {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

interface WorkloadStatus extends Others {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly conditions?: readonly ObjectCondition[];
}

interface ReplicatedSpec extends Others {
  readonly replicas?: number;
  readonly selector?: Selector;
  readonly template?: PodTemplate;
}

/** An object that keeps a number of Pods. */
export interface Replicated extends KubernetesObject {
  readonly spec?: ReplicatedSpec;
  readonly status?: WorkloadStatus;
}

export interface Deployment extends Replicated {
  readonly spec?: ReplicatedSpec & {
    readonly minReadySeconds?: number;
    readonly strategy?: Others & { readonly type?: string };
  };
}

export type ReplicaSet = Replicated;

export interface StatefulSet extends Replicated {
  readonly spec?: StatefulSetSpec;
  readonly status?: WorkloadStatus & { readonly updateRevision?: string };
}

export interface StatefulSetSpec extends ReplicatedSpec {
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly volumeClaimTemplates?: readonly ClaimTemplate[];
}

export interface ClaimTemplate {
  readonly metadata?: {
    readonly name?: string;
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: ClaimSpec;
}

/** Revision of a StatefulSet or DaemonSet. */
export interface ControllerRevision extends KubernetesObject {
  readonly data?: Others & { readonly spec?: { readonly template?: PodTemplate } };
}

export interface Job extends KubernetesObject {
  readonly spec?: Others & { readonly template?: PodTemplate };
}

export interface PodDisruptionBudget extends KubernetesObject {
  readonly spec?: Others & { readonly selector?: Selector };
}

export interface ResourceQuota extends KubernetesObject {
  readonly spec?: Others & {
    readonly hard?: Quantities;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: {
      readonly matchExpressions?: readonly {
        readonly scopeName: string;
        readonly operator: string;
        readonly values?: readonly string[];
      }[];
    };
  };
  readonly status?: Others & { readonly hard?: Quantities; readonly used?: Quantities };
}

export interface StorageClass extends KubernetesObject {
  readonly allowVolumeExpansion?: boolean;
}

export interface LeaseSpec extends Others {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export interface Lease extends KubernetesObject {
  readonly spec?: LeaseSpec;
}

/** `events.k8s.io/v1`, with the fields of the core API that older reporters set. */
export interface Event extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: Others & {
    readonly kind?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly fieldPath?: string;
  };
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly deprecatedCount?: number;
  readonly deprecatedFirstTimestamp?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
}

export interface CustomResourceDefinition extends KubernetesObject {
  readonly spec?: Others;
  readonly status?: Others & { readonly conditions?: readonly ObjectCondition[] };
}

/** A review: the API server adds the status. */
export interface Reviewed<Status> extends KubernetesObject {
  readonly status?: Status;
}

/** A review of access; the API server adds the status. */
export type SubjectAccessReview = Reviewed<Others & { readonly allowed?: boolean }>;
