/** Types of the workloads that the templates render, limited to the fields that `overlay.ts` uses. */
import type { Replicated } from '../kubernetes/objects/kinds.ts';
import type {
  V1Affinity,
  V1ContainerPort,
  V1EnvVar,
  V1Lifecycle,
  V1PodSecurityContext,
  V1Probe,
  V1ResourceRequirements,
  V1SecurityContext,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';

import type { KubernetesObject, ObjectMeta } from '../kubernetes/objects/object.ts';
import type { StringMap } from '../api/settings.ts';

export interface Container {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly V1EnvVar[];
  readonly ports?: readonly V1ContainerPort[];
  readonly lifecycle?: V1Lifecycle;
  readonly livenessProbe?: V1Probe;
  readonly readinessProbe?: V1Probe;
  readonly startupProbe?: V1Probe;
  readonly resources?: V1ResourceRequirements;
  readonly securityContext?: V1SecurityContext;
  readonly volumeMounts?: readonly V1VolumeMount[];
  readonly [field: string]: unknown;
}

export interface PodSpec {
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
  readonly nodeSelector?: StringMap;
  readonly volumes?: readonly V1Volume[];
  readonly affinity?: V1Affinity;
  readonly securityContext?: V1PodSecurityContext;
  readonly [field: string]: unknown;
}

export interface Workload extends Replicated {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels: StringMap };
    readonly template: {
      readonly metadata: { readonly labels: StringMap; readonly annotations?: StringMap };
      readonly spec: PodSpec;
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: Pick<ObjectMeta, 'name'> }[];
    readonly [field: string]: unknown;
  };
}

/** Returns whether an object is a Deployment or a StatefulSet. */
export function isWorkload(object: KubernetesObject): object is Workload {
  return object.kind === 'Deployment' || object.kind === 'StatefulSet';
}
