/** Whether a control plane has another CA than a backup: pure. */
import type { Secret } from '../../../kubernetes/objects/kinds.ts';
import type { KarmadaBackup, KarmadaRestore } from '../../../api/backup/kinds.ts';
import { identifyCertificate } from '../../../pki/certificate-info.ts';
import { OWN_BUNDLE } from '../../../untrusted/limits.ts';
import { certificateBlocks, pemFault } from '../../../untrusted/pem.ts';
import { isOriginRecorded } from '../../../features/backups/backup-origin.ts';
import type { RestoreFacts } from './restore-facts.ts';

/** SHA-256 fingerprints of two CAs. */
interface AuthorityDifference {
  readonly backup: string;
  readonly present: string;
}

/** Returns both CAs if they differ; undefined if they are the same, or are not known. Then the Pod of the restore compares them. */
export function authorityDifference({
  backup,
  presentCAs = [],
}: Pick<RestoreFacts, 'backup' | 'presentCAs'>): AuthorityDifference | undefined {
  const { caSHA256 } = backup?.status ?? {};
  const [present] = presentCAs;
  if (caSHA256 === undefined || present === undefined || presentCAs.includes(caSHA256))
    return undefined;
  return { backup: caSHA256, present };
}

/** Value of `spec.caConfirmation`. */
export const caConfirmation = ({ backup, present }: AuthorityDifference): string =>
  `${backup}/${present}`;

/** Fingerprint of the CA of the backup, if the user has confirmed both CAs and the origin of the backup is recorded. */
export function confirmedCA(
  { spec }: Pick<KarmadaRestore, 'spec'>,
  facts: Pick<RestoreFacts, 'presentCAs'> & { readonly backup: KarmadaBackup },
): string | undefined {
  const difference = authorityDifference(facts);
  if (difference === undefined || !isOriginRecorded(facts.backup)) return undefined;
  return spec.caConfirmation === caConfirmation(difference) ? difference.backup : undefined;
}

/** What the two CAs are, for messages. */
export const differenceText = ({ backup, present }: AuthorityDifference): string =>
  `the CA of the backup has the SHA-256 fingerprint ${backup}, and that of the control plane ${present}`;

/** Fingerprints of the CAs of a control plane; none above the limits of its Secrets. @param saved its CA backup Secret */
export const authoritiesIn = (saved: Secret | undefined): readonly string[] => {
  const { 'ca.crt': value = '' } = saved?.data ?? {};
  const bundle = Buffer.from(value, 'base64').toString('utf8');
  if (pemFault(bundle, OWN_BUNDLE) !== undefined) return [];
  return certificateBlocks(bundle).flatMap((pem) => identifyCertificate(pem)?.sha256 ?? []);
};
