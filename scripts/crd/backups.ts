/** CustomResourceDefinitions of backups. */
import {
  backupSchema,
  column,
  crdOf,
  GROUP,
  type BackupCrd,
  type BackupKind,
} from './backup-crd.ts';
import { conditionList } from './condition-list.ts';
import { CONFIG_KEY } from './kubernetes/patterns.ts';
import { restoreSpec, restoreStatus } from './restore.ts';
import { PREFIX, reference, storeSpec, storeStatus } from './backup-store.ts';
import { flag, integer, object, SHOWN, text, type Schema } from './schema.ts';

const WHAT = {
  karmadaRef: reference('Karmada in the same namespace whose etcd is saved.'),
  storeRef: reference('KarmadaBackupStore in the same namespace that gets the files.'),
  deletionPolicy: text(
    'What happens to the files in the store when the KarmadaBackup is deleted. Retain: they stay. Delete: the operator deletes them first, and waits for an object lock. Defaults to Retain.',
    { enum: ['Retain', 'Delete'] },
  ),
  activeDeadlineSeconds: integer(
    'Time in seconds for the backup and its verification by a restore. Then it has failed. Defaults to 1800.',
    'int32',
    { minimum: 60, maximum: 86_400 },
  ),
};

const REQUIRED = ['karmadaRef', 'storeRef'];

const backupSpec = object(
  'What is saved, and where to. It is immutable; create another object instead.',
  {
    ...WHAT,
    folder: text(
      'Folder of an existing backup in the store, as status.folder of its KarmadaBackup. Nothing is saved then; this backup is only verified, so that it can be restored.',
      { ...PREFIX, maxLength: 600 },
    ),
    keyID: text(
      'Key of the existing backup in the Secret of the store. Defaults to spec.encryption.keyID of the store.',
      CONFIG_KEY,
    ),
  },
  {
    required: REQUIRED,
    'x-kubernetes-validations': [
      { rule: 'self == oldSelf', message: 'spec cannot be changed' },
      {
        rule: '!has(self.keyID) || has(self.folder)',
        message: 'keyID is only allowed with folder; a new backup has the key of its store',
      },
    ],
  },
);

const SHA256 = { pattern: '^[0-9a-f]{64}$' };

const backupStatus = object('Progress and result of the backup. Only the operator writes it.', {
  phase: text(
    'State of the backup. Pending: waits for its turn. Running: the Pod saves the data. Verifying: a scratch etcd restores it. Verified: both are equal. Failed: see the conditions. Deleting: the files are deleted.',
    {
      enum: ['Pending', 'Running', 'Verifying', 'Verified', 'Failed', 'Deleting'],
    },
  ),
  startedAt: text('Time at which the Pod of the backup started.', { format: 'date-time' }),
  finishedAt: text('Time at which the backup was verified or failed.', { format: 'date-time' }),
  verifiedAt: text('Time at which the restored data was found equal.', { format: 'date-time' }),
  takenAt: text('Time of the snapshot. A restore returns to it.', { format: 'date-time' }),
  folder: text('Folder of the backup in the store, below the prefix of the store.'),
  revision: text('Revision of etcd that the backup contains.'),
  keys: text('Number of keys of etcd at the revision.'),
  etcdVersion: text('Release of etcd that wrote the snapshot.'),
  clusterID: text('Hexadecimal ID of the etcd cluster.'),
  hash: text('Hash of all keys and values at the revision, as etcd computes it.'),
  sizeBytes: integer('Size of the snapshot in bytes.', 'int64'),
  storedBytes: integer(
    'Size of the files in the store in bytes, compressed and encrypted.',
    'int64',
  ),
  lockedUntil: text('Time until which the object lock of the store keeps the files.', {
    format: 'date-time',
  }),
  manifestSHA256: text(
    'SHA-256 sum of manifest.jsonl. A restore accepts no other manifest.',
    SHA256,
  ),
  keyID: text('Key in the Secret of the store. A restore uses no other key.', CONFIG_KEY),
  caSHA256: text('SHA-256 fingerprint of the CA of the control plane.', SHA256),
  conditions: conditionList(
    'Conditions of the backup. Stored: the backup is complete in the store. Verified: its restored data equals that of etcd. OriginProven: the operator recorded the manifest when it took the backup.',
  ),
});

const scheduleSpec = object(
  'When backups are created, and how many are kept.',
  {
    schedule: text(
      'Times of the backups: a cron expression with five fields, such as "0 3 * * *", or @hourly, @daily, @weekly, @monthly, @yearly.',
      {
        ...{ minLength: 1, maxLength: 200 },
        ...SHOWN,
        pattern: String.raw`^(@(hourly|daily|weekly|monthly|yearly)|[A-Za-z0-9*/,#L?-]+( [A-Za-z0-9*/,#L?-]+){4})$`,
      },
    ),
    timeZone: text('Time zone of the expression, such as Europe/Berlin. Defaults to UTC.', {
      maxLength: 63,
      pattern: '^[A-Za-z0-9_+/-]+$',
      ...SHOWN,
    }),
    suspend: flag(
      'If true, no backups are created; those in progress continue. Defaults to false.',
    ),
    startingDeadlineSeconds: integer(
      'How late a backup may start, in seconds. Later, it is skipped. Defaults to 3600.',
      'int32',
      { minimum: 60, maximum: 86_400 },
    ),
    retention: object(
      'Which backups of the schedule the operator deletes. Without it, it deletes none.',
      {
        keepLast: integer(
          'Number of verified backups that are kept. Older backups of the schedule are deleted; their files too, if template.deletionPolicy is Delete.',
          'int32',
          { minimum: 1, maximum: 1_000 },
        ),
      },
      { required: ['keepLast'] },
    ),
    template: object(
      'Spec of the backups that the schedule creates. A change applies to later backups.',
      WHAT,
      { required: REQUIRED },
    ),
  },
  { required: ['schedule', 'template'] },
);

const scheduleStatus = object('State of the schedule. Only the operator writes it.', {
  lastScheduleTime: text('Time for which a backup was created last.', { format: 'date-time' }),
  lastBackup: text('Name of the KarmadaBackup that was created then.'),
  nextScheduleTime: text('Time of the next backup.', { format: 'date-time' }),
  lastSuccessfulTime: text('Time at which a backup was verified last.', { format: 'date-time' }),
  conditions: conditionList('Conditions of the schedule. Scheduled: backups are created.'),
});

const AGE = column('Age', '.metadata.creationTimestamp', 'date');

const KINDS: readonly BackupKind[] = [
  {
    ...{ kind: 'KarmadaBackupStore', plural: 'karmadabackupstores', shortName: 'kbs' },
    description: 'Place for backups of control planes in the same namespace.',
    spec: storeSpec,
    status: storeStatus,
    columns: [
      column('Ready', '.status.conditions[?(@.type=="Ready")].status'),
      ...[column('Bucket', '.spec.s3.bucket'), column('Claim', '.spec.volume.claimName')],
      ...[column('Encryption', '.spec.encryption.mode'), AGE],
    ],
    longestName: 63,
  },
  {
    ...{ kind: 'KarmadaBackup', plural: 'karmadabackups', shortName: 'kbk' },
    description: 'One backup of a control plane.',
    spec: backupSpec,
    status: backupStatus,
    columns: [
      ...[column('Karmada', '.spec.karmadaRef.name'), column('Phase', '.status.phase')],
      ...[column('Revision', '.status.revision'), column('Bytes', '.status.sizeBytes', 'integer')],
      ...[column('Verified', '.status.verifiedAt', 'date'), AGE],
    ],
    longestName: 52,
  },
  {
    ...{ kind: 'KarmadaBackupSchedule', plural: 'karmadabackupschedules', shortName: 'kbsch' },
    description: 'Creates backups of a control plane at regular times.',
    spec: scheduleSpec,
    status: scheduleStatus,
    columns: [
      ...[
        column('Karmada', '.spec.template.karmadaRef.name'),
        column('Schedule', '.spec.schedule'),
      ],
      ...[column('Suspend', '.spec.suspend', 'boolean')],
      ...[column('Last verified', '.status.lastSuccessfulTime', 'date')],
      ...[column('Next', '.status.nextScheduleTime'), AGE],
    ],
    longestName: 37,
  },
  {
    ...{ kind: 'KarmadaRestore', plural: 'karmadarestores', shortName: 'krs' },
    description: 'Replaces the data of a control plane by that of a backup.',
    spec: restoreSpec,
    status: restoreStatus,
    columns: [
      ...[column('Karmada', '.spec.karmadaRef.name'), column('Backup', '.spec.backupRef.name')],
      ...[column('Phase', '.status.phase'), AGE],
    ],
    longestName: 52,
  },
];

/** Manifests by file name in crds/. */
export const backupCrds: Readonly<Record<string, BackupCrd>> = Object.fromEntries(
  KINDS.map((kind) => [`${GROUP}_${kind.plural}.yaml`, crdOf(kind)]),
);

/** Schemas by kind, with the disclosure of their fields. */
export const backupSchemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  KINDS.map((kind) => [kind.kind, backupSchema(kind)]),
);
