/** CustomResourceDefinitions of backups. */
import { compact } from './compact.ts';
import { conditionList } from './condition-list.ts';
import { CONFIG_KEY } from './kubernetes/patterns.ts';
import { restoreSpec, restoreStatus } from './restore.ts';
import { PREFIX, reference, storeSpec, storeStatus } from './backup-store.ts';
import { flag, integer, object, text, type Schema } from './schema.ts';

const GROUP = 'backup.operator.karmada.io';

const WHAT = {
  karmadaRef: reference('Karmada in the same namespace.'),
  storeRef: reference('KarmadaBackupStore in the same namespace.'),
  deletionPolicy: text(
    'Whether the files in the store are deleted together with the KarmadaBackup: Retain or Delete. Defaults to Retain.',
    { enum: ['Retain', 'Delete'] },
  ),
  activeDeadlineSeconds: integer(
    'Time for the backup and its proof in seconds. Defaults to 1800.',
    'int32',
    { minimum: 60, maximum: 86_400 },
  ),
};

const REQUIRED = ['karmadaRef', 'storeRef'];

const backupSpec = object(
  'What is backed up, and where to. It cannot be changed.',
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

const backupStatus = object('Result of the backup.', {
  phase: text('Pending, Running, Verifying, Verified, Failed or Deleting.', {
    enum: ['Pending', 'Running', 'Verifying', 'Verified', 'Failed', 'Deleting'],
  }),
  startedAt: text('Time at which the Pod started.', { format: 'date-time' }),
  finishedAt: text('Time of the result.', { format: 'date-time' }),
  verifiedAt: text('Time at which the restored data was equal.', { format: 'date-time' }),
  takenAt: text('Time of the snapshot.', { format: 'date-time' }),
  folder: text('Folder of the backup in the store.'),
  revision: text('Revision of etcd.'),
  keys: text('Number of keys at the revision.'),
  etcdVersion: text('Version of etcd.'),
  clusterID: text('ID of the etcd cluster.'),
  hash: text('Hash of all keys at the revision.'),
  sizeBytes: integer('Size of the content in bytes.', 'int64'),
  storedBytes: integer('Size in the store in bytes.', 'int64'),
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
    'Stored: the backup is complete in the store. Verified: its restored data equals that of etcd. OriginProven: the operator recorded the manifest when it took the backup.',
  ),
});

const scheduleSpec = object(
  'When backups are created.',
  {
    schedule: text(
      'Cron expression with five fields, or @hourly, @daily, @weekly, @monthly, @yearly.',
      {
        ...{ minLength: 1, maxLength: 200 },
        pattern: String.raw`^(@(hourly|daily|weekly|monthly|yearly)|[A-Za-z0-9*/,#L?-]+( [A-Za-z0-9*/,#L?-]+){4})$`,
      },
    ),
    timeZone: text('Time zone of the expression, such as Europe/Berlin. Defaults to UTC.', {
      maxLength: 63,
      pattern: '^[A-Za-z0-9_+/-]+$',
    }),
    suspend: flag('If true, no backups are created.'),
    startingDeadlineSeconds: integer(
      'How late a backup may start, in seconds. Later, it is skipped. Defaults to 3600.',
      'int32',
      { minimum: 60, maximum: 86_400 },
    ),
    retention: object(
      'Which backups of the schedule are deleted. Without it, none is.',
      {
        keepLast: integer(
          'Number of verified backups that are kept. Older backups of the schedule are deleted; their files too, if template.deletionPolicy is Delete.',
          'int32',
          { minimum: 1, maximum: 1_000 },
        ),
      },
      { required: ['keepLast'] },
    ),
    template: object('Spec of the backups.', WHAT, { required: REQUIRED }),
  },
  { required: ['schedule', 'template'] },
);

const scheduleStatus = object('State of the schedule.', {
  lastScheduleTime: text('Time for which a backup was created last.', { format: 'date-time' }),
  lastBackup: text('Name of this KarmadaBackup.'),
  nextScheduleTime: text('Time of the next backup.', { format: 'date-time' }),
  lastSuccessfulTime: text('Time at which a backup was verified last.', { format: 'date-time' }),
  conditions: conditionList('Scheduled: backups are created.'),
});

interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly description: string;
  readonly spec: Schema;
  readonly status?: Schema;
  readonly columns: readonly object[];
  /** Limit of `metadata.name`, for names of objects that are derived from it. */
  readonly longestName: number;
}

const column = (name: string, jsonPath: string, type = 'string'): object => ({
  ...{ name, type, jsonPath },
});

/** Schema of a kind; the rule limits the name of its objects. */
function schemaOf({ kind, description, spec, status, longestName }: Kind): object {
  const schema = object(
    description,
    {
      apiVersion: text(`${GROUP}/v1alpha1`),
      kind: text(kind),
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 253 } } },
      spec,
      ...(status !== undefined && { status }),
    },
    {
      required: ['spec'],
      'x-kubernetes-validations': [
        {
          rule: `size(self.metadata.name) <= ${String(longestName)}`,
          message: `metadata.name can have at most ${String(longestName)} characters`,
        },
      ],
    },
  );
  return compact(schema);
}

function crdOf(of: Kind): object {
  const { kind, plural, shortName, columns, status } = of;
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      ...{ group: GROUP, scope: 'Namespaced' },
      names: {
        ...{ kind, listKind: `${kind}List`, plural, singular },
        ...{ shortNames: [shortName], categories: ['karmada-io'] },
      },
      versions: [
        {
          ...{ name: 'v1alpha1', served: true, storage: true },
          ...(status !== undefined && { subresources: { status: {} } }),
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: schemaOf(of) },
        },
      ],
    },
  };
}

const AGE = column('Age', '.metadata.creationTimestamp', 'date');

/** Manifests by file name in crds/. */
export const backupCrds: Readonly<Record<string, object>> = {
  [`${GROUP}_karmadabackupstores.yaml`]: crdOf({
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
  }),
  [`${GROUP}_karmadabackups.yaml`]: crdOf({
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
  }),
  [`${GROUP}_karmadabackupschedules.yaml`]: crdOf({
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
  }),
  [`${GROUP}_karmadarestores.yaml`]: crdOf({
    ...{ kind: 'KarmadaRestore', plural: 'karmadarestores', shortName: 'krs' },
    description: 'Replaces the data of a control plane by that of a backup.',
    spec: restoreSpec,
    status: restoreStatus,
    columns: [
      ...[column('Karmada', '.spec.karmadaRef.name'), column('Backup', '.spec.backupRef.name')],
      ...[column('Phase', '.status.phase'), AGE],
    ],
    longestName: 52,
  }),
};
