/** What the objects inside the Karmada API depend on. */
import type { DefaultedSpec } from '../api/defaults.ts';
import { instanceLabels } from '../api/labels.ts';
import { instanceName } from '../api/naming.ts';

export interface ControlPlaneInput {
  /** `metadata.name` of the Karmada */
  readonly name: string;
  /** Namespace in the host cluster that the pods run in. */
  readonly namespace: string;
  readonly spec: DefaultedSpec;
  /** `ca.crt` of `N(cert)`: PEM certificates of all authorities to be trusted. */
  readonly caBundle: string;
  /** URL of the API server for users, as in the administrator's kubeconfig; absent until it is known. */
  readonly externalServer?: string;
}

/** Namespace inside the control plane for leases and for the way to the aggregated servers. */
export const SYSTEM_NAMESPACE = 'karmada-system';

/** A `caBundle` field: the PEM bundle in base64. */
export function caBundleField(input: ControlPlaneInput): string {
  return Buffer.from(input.caBundle, 'utf8').toString('base64');
}

/**
 * Labels by which objects inside the control plane are known as ours.
 * @param component value of `app.kubernetes.io/name`
 */
export function ownLabels(
  input: ControlPlaneInput,
  component: string,
): Readonly<Record<string, string>> {
  return instanceLabels(input.name, component);
}

/** Where the control plane's API server reaches the webhook server, without a path. */
export function webhookServer(input: ControlPlaneInput): string {
  return `https://${instanceName(input.name, 'webhook')}.${input.namespace}.svc:443`;
}
