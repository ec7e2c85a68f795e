/**
 * Merges structured fields of the user into parsed objects. It never renders text, so every value
 * arrives in the object unchanged.
 */
import type { Components } from '../api/karmada.ts';
import type { CommonSettings, StringMap } from '../api/settings.ts';
import type { Service } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { fieldsOf } from '../kubernetes/objects/records.ts';
import type { ServiceFields, UserFields } from './component.ts';
import { mergeFlags } from './flags.ts';
import type { Container, PodSpec, Workload } from './workload.ts';

/** Pod template annotation: hash of certificates. A change restarts the Pods. */
export const CERTIFICATES_HASH_ANNOTATION = 'operator.karmada.io/certificates-hash';

export interface WorkloadOverlay {
  readonly component: keyof Components;
  readonly settings: CommonSettings;
  readonly fields: UserFields;
  readonly certificatesHash: string | undefined;
}

/**
 * Returns the workload with the fields of the user. Labels and annotations apply to the workload and
 * its Pods. A user cannot override labels and annotations that the operator sets. As in the upstream
 * operator, resources, tolerations and affinity of the user replace those of the template.
 */
export function overlayWorkload(workload: Workload, overlay: WorkloadOverlay): Workload {
  const { settings, fields, certificatesHash } = overlay;
  const { template } = workload.spec;
  const own: StringMap = {
    ...template.metadata.annotations,
    ...(certificatesHash && { [CERTIFICATES_HASH_ANNOTATION]: certificatesHash }),
  };
  return {
    ...workload,
    metadata: {
      ...workload.metadata,
      labels: { ...settings.labels, ...workload.metadata.labels },
      ...annotations(settings.annotations, {}),
    },
    spec: {
      ...workload.spec,
      template: {
        metadata: {
          labels: { ...settings.labels, ...template.metadata.labels },
          ...annotations(settings.annotations, own),
        },
        spec: overlayPod(template.spec, overlay),
      },
      ...(filled(fields.volumeClaims) && { volumeClaimTemplates: fields.volumeClaims }),
    },
  };
}

function overlayPod(pod: PodSpec, overlay: WorkloadOverlay): PodSpec {
  const { settings, fields } = overlay;
  const [main, ...others] = pod.containers;
  if (!main) throw new Error('the workload template has no container');
  const volumes = [...(pod.volumes ?? []), ...(fields.volumes ?? [])];
  return {
    ...pod,
    ...(settings.priorityClassName && { priorityClassName: settings.priorityClassName }),
    ...(filled(settings.tolerations) && { tolerations: settings.tolerations }),
    ...(settings.affinity && { affinity: settings.affinity }),
    containers: [
      overlayContainer(main, overlay),
      ...others,
      ...(fields.sidecarContainers ?? []).map((sidecar) => ({ ...sidecar })),
    ],
    ...(volumes.length > 0 && { volumes }),
  };
}

function overlayContainer(
  container: Container,
  { component, settings, fields }: WorkloadOverlay,
): Container {
  const { extraArgs, featureGates } = fields;
  return {
    ...container,
    command: mergeFlags(container.command ?? [], { component, extraArgs, featureGates }),
    ...(Object.keys(settings.resources ?? {}).length > 0 && { resources: settings.resources }),
    volumeMounts: [...(container.volumeMounts ?? []), ...(fields.volumeMounts ?? [])],
  };
}

/** Returns the Service with the annotations, the load balancer class and the IP family policy of the user. */
export function overlayService(service: Service, fields: ServiceFields): KubernetesObject {
  const { loadBalancerClass, ipFamilyPolicy } = fields;
  return {
    ...service,
    metadata: { ...service.metadata, ...annotations(fields.annotations, {}) },
    spec: {
      ...fieldsOf(service['spec']),
      ...(loadBalancerClass && { loadBalancerClass }),
      ...(ipFamilyPolicy && { ipFamilyPolicy }),
    },
  };
}

/** Omits an empty map, as the API server does. */
function annotations(
  given: StringMap | undefined,
  own: StringMap,
): { readonly annotations?: StringMap } {
  const all = { ...given, ...own };
  return Object.keys(all).length > 0 ? { annotations: all } : {};
}

function filled(list: readonly unknown[] | undefined): boolean {
  return list !== undefined && list.length > 0;
}
