import { sha256 } from '../kubernetes/intent.ts';

/** Credentials for a control plane, in PEM format. */
export interface Credentials {
  /** `https://host:port` */
  readonly server: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** Hash of the credentials. If it changes, the operator must create a new client. */
export function fingerprintOf({ server, ca, certificate, key }: Credentials): string {
  return sha256([server, ca, certificate, key].join('\n'));
}
