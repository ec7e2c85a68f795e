/** Action on the certificates of a control plane. */
import type { PresentSecrets } from '../instance/present-secrets.ts';
import type { Snapshot } from '../instance/snapshot.ts';
import type { PkiInputs } from '../pki/types.ts';

/** Read the certificates, issue those that are due, and write their Secrets. Skips Secrets whose repair is paused. */
export interface IssueCertificates {
  readonly kind: 'issueCertificates';
  readonly inputs: PkiInputs;
  readonly snapshot: Pick<Snapshot, 'karmada' | 'spec' | 'host'>;
  /** Whether to create the next key of ServiceAccount tokens, which signs and verifies nothing yet. */
  readonly createsKey?: true;
  /** See `Known`. */
  readonly present?: PresentSecrets;
}
