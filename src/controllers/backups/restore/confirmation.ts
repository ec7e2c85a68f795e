/** What a user has to confirm before a restore changes anything: pure. */
import type { KarmadaRestore } from '../../../api/backup/kinds.ts';
import { isOriginRecorded, notProvenText } from '../../../features/backups/backup-origin.ts';
import { authorityDifference, caConfirmation, differenceText } from './authority-difference.ts';
import type { RestoreFacts } from './restore-facts.ts';
import type { RestoreReport } from './restore-status.ts';

/**
 * Returns what is not confirmed, with the command that confirms it; undefined if everything is.
 * @param clusterID of the etcd cluster that is given up
 */
export function unconfirmed(
  restore: KarmadaRestore,
  facts: RestoreFacts,
  clusterID: string,
): RestoreReport | undefined {
  const { confirmation, caConfirmation: confirmedCAs } = restore.spec;
  const difference = authorityDifference(facts);
  const wantedCAs = difference && caConfirmation(difference);
  const isConfirmed = confirmation === clusterID;
  if (isConfirmed && (wantedCAs === undefined || confirmedCAs === wantedCAs)) return undefined;
  const wanted = { confirmation: clusterID, ...(wantedCAs && { caConfirmation: wantedCAs }) };
  const what = [
    ...(difference === undefined ? [] : [`${differenceText(difference)}, so ${INVALID}`]),
    `${subjectText(restore, clusterID)}${originText(facts)}; to confirm it: ${command(restore, wanted)}`,
  ].join('; ');
  const phase = 'AwaitingConfirmation';
  if (confirmation !== undefined && !isConfirmed)
    return {
      phase,
      reason: 'ConfirmationRefused',
      message: `spec.confirmation is ${confirmation}, and not the ID of the etcd cluster; ${what}`,
    };
  return { phase, reason: wantedCAs ? 'AuthorityDiffers' : 'AwaitingConfirmation', message: what };
}

const INVALID =
  'kubeconfigs and certificates that the former CA issued, and the ServiceAccount tokens in the restored data, may not be valid afterwards';

const subjectText = ({ spec: { backupRef, karmadaRef } }: KarmadaRestore, id: string): string =>
  `KarmadaBackup ${backupRef.name} replaces all data of Karmada ${karmadaRef.name} (etcd cluster ${id})`;

function originText({ backup }: RestoreFacts): string {
  if (backup === undefined || isOriginRecorded(backup)) return '';
  return `; ${notProvenText(backup.metadata.name, backup)}`;
}

const command = ({ metadata: { name, namespace = '' } }: KarmadaRestore, spec: object): string =>
  `kubectl -n ${namespace} patch karmadarestore ${name} --type merge -p '${JSON.stringify({ spec })}'`;
