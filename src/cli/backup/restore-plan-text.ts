/** What a restore does, in its order: pure. */
import type { KarmadaBackup, KarmadaRestore } from '../../api/backup/kinds.ts';
import { isOriginRecorded, notProvenText } from '../../features/backups/backup-origin.ts';
import { compareCommand } from '../../features/propagation/propagation.ts';
import { printable } from '../program/text.ts';

/** Describes a restore that waits for its confirmation. */
export function restorePlanText(
  {
    metadata,
    spec,
    status: { clusterID = '', revision = '', backupTime = 'unknown' } = {},
  }: KarmadaRestore,
  backup: KarmadaBackup,
): string {
  const { keys = 'unknown' } = backup.status ?? {};
  const origin = isOriginRecorded(backup)
    ? []
    : [`Attention: ${notProvenText(backup.metadata.name, backup)}.`];
  const lines = [
    ...origin,
    `Backup ${spec.backupRef.name} of ${backupTime} (revision ${revision}, ${keys} keys) replaces all data of Karmada ${spec.karmadaRef.name}.`,
    `What was written after the backup is given up with etcd cluster ${clusterID}; its PersistentVolumeClaims are kept.`,
    '',
    'In this order:',
    '  1. karmada-controller-manager, karmada-scheduler and karmada-descheduler stop; nothing changes in member clusters',
    '  2. the backup is loaded and verified; the control plane serves meanwhile',
    '  3. the API servers and the other controllers stop',
    '  4. etcd moves to the data of the backup',
    '  5. the API servers start again, one to two minutes after they stopped; etcd gets all its members',
    `  6. you compare the member clusters (${compareCommand({ name: spec.karmadaRef.name, namespace: metadata.namespace ?? '' })}), and let the propagation continue`,
    '',
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}
