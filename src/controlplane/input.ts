/** Input from which the objects in the Karmada API are rendered. */
import type { DefaultedSpec } from '../api/defaults/defaults.ts';
import { instanceLabels } from '../api/labels.ts';
import { instanceName } from '../api/naming.ts';

export interface ControlPlaneInput {
  /** `metadata.name` of the Karmada object */
  readonly name: string;
  /** Namespace of the Pods in the host cluster. */
  readonly namespace: string;
  readonly spec: DefaultedSpec;
  /** `ca.crt` of Secret `N(cert)`: PEM certificates of all trusted CAs. */
  readonly caBundle: string;
  /** External URL of the API server, as in the admin kubeconfig. Absent until the operator knows it. */
  readonly externalServer?: string;
}

/** Namespace in the control plane for Leases and for the Services of the aggregated API servers. */
export const SYSTEM_NAMESPACE = 'karmada-system';

/** Returns the value of a `caBundle` field: the PEM bundle in base64. */
export function caBundleField(input: ControlPlaneInput): string {
  return Buffer.from(input.caBundle, 'utf8').toString('base64');
}

/**
 * Returns the labels that mark objects in the control plane as managed by the operator.
 * @param component value of `app.kubernetes.io/name`
 */
export function ownLabels(
  input: ControlPlaneInput,
  component: string,
): Readonly<Record<string, string>> {
  return instanceLabels(input.name, component);
}

/** Returns the URL of the webhook server for the API server of the control plane, without a path. */
export function webhookServer(input: ControlPlaneInput): string {
  return `https://${instanceName(input.name, 'webhook')}.${input.namespace}.svc:443`;
}
