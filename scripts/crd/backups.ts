/** CustomResourceDefinitions of backups. */
import { compact } from './compact.ts';
import { CONFIG_KEY, OBJECT_NAME } from './kubernetes/patterns.ts';
import { flag, integer, list, object, text, type Schema } from './schema.ts';

const GROUP = 'backup.operator.karmada.io';

const reference = (description: string): Schema =>
  object(description, { name: text('Name of the object.', OBJECT_NAME) }, { required: ['name'] });

const PREFIX = {
  maxLength: 200,
  pattern: String.raw`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`,
} as const;

const s3 = object(
  'Bucket of an S3-compatible server.',
  {
    endpoint: text('URL of the server without a path, such as https://s3.example.com:9000.', {
      maxLength: 300,
      pattern: String.raw`^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?$`,
    }),
    region: text('Region of the bucket.', { maxLength: 63, pattern: '^[A-Za-z0-9-]+$' }),
    bucket: text('Name of an existing bucket.', {
      ...{ minLength: 3, maxLength: 63 },
      pattern: '^[a-z0-9][a-z0-9.-]*[a-z0-9]$',
    }),
    prefix: text('Folder in the bucket.', PREFIX),
    pathStyle: flag('If true, the bucket is in the path of URLs and not in the host name.'),
    credentialsSecretRef: reference(
      'Secret in the same namespace with the keys accessKeyID, secretAccessKey and optionally sessionToken.',
    ),
    caSecretRef: reference(
      'Secret in the same namespace with the key ca.crt: CAs to trust instead of the well-known ones.',
    ),
  },
  { required: ['endpoint', 'region', 'bucket', 'credentialsSecretRef'] },
);

const storeSpec = object(
  'Where backups are stored; set exactly one of s3 and volume.',
  {
    s3,
    volume: object(
      'Existing PVC in the same namespace.',
      {
        claimName: text('Name of the PVC.', OBJECT_NAME),
        prefix: text('Folder in the volume.', PREFIX),
      },
      { required: ['claimName'] },
    ),
    encryption: object(
      'Encryption of backups. A snapshot contains every Secret of the control plane.',
      {
        mode: text('AES256GCM, or None to store everything in plain text.', {
          enum: ['AES256GCM', 'None'],
        }),
        keySecretRef: reference(
          'Secret in the same namespace with the key. Keep a copy elsewhere.',
        ),
        keyID: text('Key in data of the Secret: 64 hexadecimal digits.', CONFIG_KEY),
      },
      {
        required: ['mode'],
        'x-kubernetes-validations': [
          {
            rule: "self.mode == 'None' ? !has(self.keySecretRef) && !has(self.keyID) : has(self.keySecretRef) && has(self.keyID)",
            message: 'keySecretRef and keyID are required for AES256GCM and not allowed for None',
          },
        ],
      },
    ),
  },
  {
    required: ['encryption'],
    'x-kubernetes-validations': [
      { rule: 'has(self.s3) != has(self.volume)', message: 'set exactly one of s3 and volume' },
    ],
  },
);

const backupSpec = object(
  'What is backed up, and where to. It cannot be changed.',
  {
    karmadaRef: reference('Karmada in the same namespace.'),
    storeRef: reference('KarmadaBackupStore in the same namespace.'),
    activeDeadlineSeconds: integer(
      'Time for the backup and its proof in seconds. Defaults to 1800.',
      'int32',
      { minimum: 60, maximum: 86_400 },
    ),
  },
  {
    required: ['karmadaRef', 'storeRef'],
    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'spec cannot be changed' }],
  },
);

const backupStatus = object('Result of the backup.', {
  phase: text('Pending, Running, Verifying, Verified or Failed.', {
    enum: ['Pending', 'Running', 'Verifying', 'Verified', 'Failed'],
  }),
  startedAt: text('Time at which the Pod started.', { format: 'date-time' }),
  finishedAt: text('Time of the result.', { format: 'date-time' }),
  verifiedAt: text('Time at which the restored data was equal.', { format: 'date-time' }),
  folder: text('Folder of the backup in the store.'),
  revision: text('Revision of etcd.'),
  keys: text('Number of keys at the revision.'),
  etcdVersion: text('Version of etcd.'),
  clusterID: text('ID of the etcd cluster.'),
  hash: text('Hash of all keys at the revision.'),
  sizeBytes: integer('Size of the content in bytes.', 'int64'),
  storedBytes: integer('Size in the store in bytes.', 'int64'),
  conditions: list(
    'Stored: the backup is complete in the store. Verified: its restored data equals that of etcd.',
    object(
      'Condition.',
      {
        type: text('Type of the condition.'),
        status: text('True, False or Unknown.', { enum: ['True', 'False', 'Unknown'] }),
        reason: text('Reason in CamelCase.'),
        message: text('Explanation.'),
        observedGeneration: integer('Generation of the spec.', 'int64'),
        lastTransitionTime: text('Time of the last change of the status.', {
          format: 'date-time',
        }),
      },
      { required: ['type', 'status'] },
    ),
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
  ),
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
    columns: [
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
};
