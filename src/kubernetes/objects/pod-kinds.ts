/** Pods and their templates in raw JSON form, with the fields that the operator reads. See kinds.ts. */
import type { KubernetesObject, ObjectCondition } from './object.ts';

/** Fields that the operator does not read. */
export interface Others {
  readonly [field: string]: unknown;
}

export type Texts = Readonly<Record<string, string>>;

/** Resource quantities; a number is valid YAML for one. */
export type Quantities = Readonly<Record<string, string | number>>;

export interface Container extends Others {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities };
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly readinessProbe?: {
    readonly httpGet?: { readonly path?: string; readonly port: string | number };
  };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Volume {
  readonly name: string;
  readonly hostPath?: { readonly path?: string };
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

export interface PodSpec extends Others {
  readonly nodeName?: string;
  readonly serviceAccountName?: string;
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
}

export interface PodTemplate extends Others {
  readonly metadata?: { readonly labels?: Texts; readonly annotations?: Texts };
  readonly spec?: PodSpec;
}

/** How a container ended. */
export interface Ended extends Others {
  readonly exitCode?: number;
  /** `OOMKilled`, `Error`, `Completed`, `StartError`, … */
  readonly reason?: string;
  /** End of its log, or the message of the container runtime. */
  readonly message?: string;
  readonly finishedAt?: string;
}

export interface ContainerStatus extends Others {
  readonly name: string;
  readonly image?: string;
  readonly ready?: boolean;
  readonly started?: boolean | null;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: Ended;
  };
  readonly lastState?: { readonly terminated?: Ended };
}

export interface Pod extends KubernetesObject {
  readonly spec?: PodSpec;
  readonly status?: Others & {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly startTime?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly ObjectCondition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  };
}
