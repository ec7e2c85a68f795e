import type { KubernetesObject } from '../kubernetes/object.ts';
import { ownLabels, SYSTEM_NAMESPACE, type ControlPlaneInput } from './input.ts';

/** Renders the Namespaces of the control plane that Kubernetes and Karmada do not create. */
export function namespaces(input: ControlPlaneInput): readonly KubernetesObject[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: SYSTEM_NAMESPACE, labels: ownLabels(input, 'karmada') },
    },
  ];
}
