/**
 * The user's structured fields, merged into parsed objects. Nothing here is text: a value goes in
 * as it was given and comes out as it was given.
 */
import type { CommonSettings, StringMap } from '../api/settings.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { ServiceFields, UserFields } from './component.ts';
import { mergeFlags } from './flags.ts';
import type { Container, PodSpec, Workload } from './workload.ts';

/** Annotation on a pod template; its change restarts the pods. */
export const CERTIFICATES_HASH_ANNOTATION = 'operator.karmada.io/certificates-hash';

export interface WorkloadOverlay {
  readonly settings: CommonSettings;
  readonly fields: UserFields;
  readonly certificatesHash: string | undefined;
}

/**
 * A workload with the user's fields. Labels and annotations go to the workload and its pods; the
 * labels the operator itself works with are not the user's to change. As in upstream, resources,
 * tolerations and affinity replace what the template has when the user gives any.
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
        spec: overlayPod(template.spec, settings, fields),
      },
      ...(filled(fields.volumeClaims) && { volumeClaimTemplates: fields.volumeClaims }),
    },
  };
}

function overlayPod(pod: PodSpec, settings: CommonSettings, fields: UserFields): PodSpec {
  const [main, ...others] = pod.containers;
  if (!main) throw new Error('A workload template has no container');
  const volumes = [...(pod.volumes ?? []), ...(fields.volumes ?? [])];
  return {
    ...pod,
    ...(settings.priorityClassName && { priorityClassName: settings.priorityClassName }),
    ...(filled(settings.tolerations) && { tolerations: settings.tolerations }),
    ...(settings.affinity && { affinity: settings.affinity }),
    containers: [
      overlayContainer(main, settings, fields),
      ...others,
      ...((fields.sidecarContainers ?? []) as readonly object[] as readonly Container[]),
    ],
    ...(volumes.length > 0 && { volumes }),
  };
}

function overlayContainer(
  container: Container,
  settings: CommonSettings,
  fields: UserFields,
): Container {
  const { extraArgs, featureGates } = fields;
  return {
    ...container,
    command: mergeFlags(container.command ?? [], extraArgs, featureGates),
    ...(Object.keys(settings.resources ?? {}).length > 0 && { resources: settings.resources }),
    volumeMounts: [...(container.volumeMounts ?? []), ...(fields.volumeMounts ?? [])],
  };
}

/** A Service with the user's annotations and load balancer class. */
export function overlayService(service: KubernetesObject, fields: ServiceFields): KubernetesObject {
  const { loadBalancerClass } = fields;
  return {
    ...service,
    metadata: { ...service.metadata, ...annotations(fields.annotations, {}) },
    spec: { ...(service['spec'] as object), ...(loadBalancerClass && { loadBalancerClass }) },
  };
}

/** Empty maps are left out, as the API server leaves them out. */
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
