import type { KubernetesObject } from '../kubernetes/object.ts';
import { ownLabels, SYSTEM_NAMESPACE, type ControlPlaneInput } from './input.ts';

/** Namespaces of the control plane that nobody else makes. */
export function namespaces(input: ControlPlaneInput): readonly KubernetesObject[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: SYSTEM_NAMESPACE, labels: ownLabels(input, 'karmada') },
    },
  ];
}
