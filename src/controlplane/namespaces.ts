import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { ownLabels, SYSTEM_NAMESPACE, type ControlPlaneInput } from './input.ts';
import { namespaceRoles } from './rbac.ts';

/** Renders the Namespace of the control plane that Kubernetes and Karmada do not create, with the roles in it. */
export function namespaces(input: ControlPlaneInput): readonly KubernetesObject[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: SYSTEM_NAMESPACE, labels: ownLabels(input, 'karmada') },
    },
    ...namespaceRoles(SYSTEM_NAMESPACE, input),
  ];
}
