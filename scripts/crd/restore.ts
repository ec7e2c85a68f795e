/** Schema of a KarmadaRestore. */
import { reference } from './backup-store.ts';
import { conditionList } from './condition-list.ts';
import { object, text } from './schema.ts';

export const restoreSpec = object(
  'What is restored. Only confirmation and propagation can be changed.',
  {
    karmadaRef: reference('Karmada in the same namespace.'),
    backupRef: reference('KarmadaBackup in the same namespace. It must be verified.'),
    confirmation: text(
      'ID of the etcd cluster whose data is given up, as status.clusterID names it. Nothing is restored without it. If it is removed before the data was replaced, the restore is withdrawn.',
      { pattern: '^[0-9a-f]{1,16}$' },
    ),
    propagation: text(
      'Whether Karmada changes member clusters after the restore: Paused or Resumed. Defaults to Paused.',
      { enum: ['Paused', 'Resumed'] },
    ),
  },
  {
    required: ['karmadaRef', 'backupRef'],
    'x-kubernetes-validations': [
      {
        rule: 'self.karmadaRef == oldSelf.karmadaRef && self.backupRef == oldSelf.backupRef',
        message: 'karmadaRef and backupRef cannot be changed',
      },
    ],
  },
);

const RESTORE_PHASES = [
  ...['Pending', 'AwaitingConfirmation', 'Restoring', 'PropagationPaused', 'Complete'],
  'Withdrawn',
];

export const restoreStatus = object('Progress of the restore.', {
  phase: text(`${RESTORE_PHASES.slice(0, -1).join(', ')} or Withdrawn.`, { enum: RESTORE_PHASES }),
  clusterID: text('ID of the etcd cluster whose data is given up.'),
  revision: text('Revision of the backup.'),
  backupTime: text('Time of the backup.', { format: 'date-time' }),
  startedAt: text('Time of the confirmation.', { format: 'date-time' }),
  finishedAt: text('Time at which the restored data served.', { format: 'date-time' }),
  conditions: conditionList('Restored: the data of the backup serves.'),
});
