import { secretValues } from '../host-clusters/parse-credentials.ts';
import { sha256 } from '../kubernetes/objects/intent.ts';
import type { Secret } from '../kubernetes/objects/kinds.ts';

/** Credentials for a control plane, in PEM format. */
export interface Credentials {
  /** `https://host:port` */
  readonly server: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * Returns the credentials with which the operator connects to a control plane.
 * @param secret `N(cert)`
 * @param server URL of its API server
 * @returns undefined if a value is missing: without a certificate, the operator would be an unauthenticated user
 */
export function adminCredentials(secret: Secret, server: string): Credentials | undefined {
  const { 'ca.crt': ca, 'karmada.crt': certificate, 'karmada.key': key } = secretValues(secret);
  return ca && certificate && key ? { server, ca, certificate, key } : undefined;
}

/** Hash of the credentials. If it changes, the operator must create a new client. */
export function fingerprintOf({ server, ca, certificate, key }: Credentials): string {
  return sha256([server, ca, certificate, key].join('\n'));
}
