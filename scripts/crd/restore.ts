/** Schema of a KarmadaRestore. */
import { reference } from './backup-store.ts';
import { conditionList } from './condition-list.ts';
import { CONFIG_KEY } from './kubernetes/patterns.ts';
import { integer, list, object, SHOWN, text, type Schema } from './schema.ts';

export const restoreSpec = object(
  'What is restored, and the confirmations. karmadaRef and backupRef are immutable.',
  {
    karmadaRef: reference('Karmada in the same namespace whose data is replaced.'),
    backupRef: reference('KarmadaBackup in the same namespace. It must be verified.'),
    confirmation: text(
      'ID of the etcd cluster whose data is given up, as status.clusterID names it. Nothing is restored without it. If it is removed before the data was replaced, the restore is withdrawn.',
      { pattern: '^[0-9a-f]{1,16}$', ...SHOWN },
    ),
    caConfirmation: text(
      'SHA-256 fingerprints of the CA of the backup and of the CA of the control plane, as BACKUP/PRESENT. Required if they differ; the condition names both.',
      { pattern: '^[0-9a-f]{64}/[0-9a-f]{64}$', ...SHOWN },
    ),
    keyID: text(
      'Key in the Secret of the store, for a backup whose status records none. Defaults to spec.encryption.keyID of the store.',
      CONFIG_KEY,
    ),
    propagation: text(
      'Whether Karmada changes member clusters after the restore. Paused: not before you set Resumed. Resumed: at once. Defaults to Paused.',
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

const count = (description: string): Schema => integer(description, 'int32');

const memberClusters = object(
  'What Karmada changes in member clusters when the propagation continues, compared every few minutes while it is paused.',
  {
    total: count('Number of member clusters.'),
    clusters: list(
      'At most 20 member clusters, sorted by name. The command "propagation" of the kubectl plugin lists all objects.',
      object('Numbers of objects of a member cluster.', {
        name: text('Name of the Cluster.'),
        syncMode: text('Push or Pull.', { knownValues: ['Push', 'Pull'] }),
        create: count('Objects that Karmada creates.'),
        change: count('Objects that Karmada changes.'),
        delete: count('Objects that Karmada deletes.'),
        orphaned: count('Objects that no Work contains any more. Karmada leaves them as they are.'),
        blocked: count('Objects of Works that Karmada cannot write.'),
        equal: count('Objects that are equal.'),
        problem: text('Why the member cluster could not be compared.'),
      }),
    ),
  },
);

export const restoreStatus = object('Progress of the restore. Only the operator writes it.', {
  phase: text(`State of the restore: ${RESTORE_PHASES.slice(0, -1).join(', ')} or Withdrawn.`, {
    enum: RESTORE_PHASES,
  }),
  clusterID: text('ID of the etcd cluster whose data is given up.'),
  caConfirmation: text('Value that spec.caConfirmation must have, if the CAs differ.'),
  revision: text('Revision of etcd that the backup contains.'),
  backupTime: text('Time of the backup.', { format: 'date-time' }),
  startedAt: text('Time of the confirmation.', { format: 'date-time' }),
  finishedAt: text('Time at which the restored data served.', { format: 'date-time' }),
  memberClusters,
  conditions: conditionList('Conditions of the restore. Restored: the data of the backup serves.'),
});
