/** Schema of stores for backups. */
import { CONFIG_KEY, OBJECT_NAME } from './kubernetes/patterns.ts';
import { conditionList } from './condition-list.ts';
import { flag, integer, object, SHOWN, text, type Schema } from './schema.ts';

/** Schema of a reference to an object in the same namespace. */
export const reference = (description: string): Schema =>
  object(
    description,
    { name: text('Name of the object in the same namespace.', OBJECT_NAME) },
    { required: ['name'] },
  );

/** Path in a store. */
export const PREFIX = {
  maxLength: 200,
  pattern: String.raw`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`,
  ...SHOWN,
} as const;

const s3 = object(
  'Bucket of an S3-compatible server.',
  {
    endpoint: text(
      'URL of the server without a path, such as https://s3.example.com:9000 or https://s3.eu-central-1.amazonaws.com.',
      {
        maxLength: 300,
        pattern: String.raw`^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?$`,
        ...SHOWN,
      },
    ),
    region: text(
      'Region of the bucket, such as eu-central-1. Servers without regions accept us-east-1.',
      { maxLength: 63, pattern: '^[A-Za-z0-9-]+$', ...SHOWN },
    ),
    bucket: text('Name of an existing bucket. The operator creates none.', {
      ...{ minLength: 3, maxLength: 63 },
      pattern: '^[a-z0-9][a-z0-9.-]*[a-z0-9]$',
      ...SHOWN,
    }),
    prefix: text(
      'Folder in the bucket. Defaults to its root. Earlier backups are not moved if it changes.',
      PREFIX,
    ),
    pathStyle: flag(
      'If true, the bucket is in the path of URLs and not in the host name, as many servers other than AWS require. Defaults to false.',
    ),
    credentialsSecretRef: reference(
      'Secret in the same namespace with the keys accessKeyID, secretAccessKey and optionally sessionToken.',
    ),
    podIdentity: object(
      'Credentials for the token of a ServiceAccount, instead of credentialsSecretRef. The token service of AWS exchanges the token, or for another server the server itself.',
      {
        serviceAccountName: text(
          'ServiceAccount of the Pods, in the namespace of the store. For control planes in remote host clusters, also there.',
          OBJECT_NAME,
        ),
        roleARN: text('ARN of the role; required for AWS.', {
          ...{ minLength: 20, maxLength: 2_048 },
          pattern: '^arn:[A-Za-z0-9:/_+=,.@-]+$',
          ...SHOWN,
        }),
      },
      { required: ['serviceAccountName'] },
    ),
    caSecretRef: reference(
      'Secret in the same namespace with the key ca.crt: CAs to trust instead of the well-known ones.',
    ),
    sse: object(
      'Server-side encryption of each object, in addition to encryption. By default the bucket decides.',
      {
        type: text(
          'AES256: with keys of the server. aws:kms: with a key of the key management service.',
          { enum: ['AES256', 'aws:kms'] },
        ),
        kmsKeyID: text('ID or ARN of the key for aws:kms. Without it, the key of the account.', {
          ...{ minLength: 1, maxLength: 300 },
          pattern: '^[A-Za-z0-9:/_.-]+$',
          ...SHOWN,
        }),
      },
      {
        required: ['type'],
        'x-kubernetes-validations': [
          {
            rule: "self.type == 'aws:kms' || !has(self.kmsKeyID)",
            message: 'kmsKeyID is only allowed for aws:kms',
          },
        ],
      },
    ),
    objectLock: object(
      'Retention of each object, during which the server does not delete it. The bucket needs object lock.',
      {
        mode: text(
          'GOVERNANCE: users with a special permission can delete before. COMPLIANCE: no user can.',
          {
            enum: ['GOVERNANCE', 'COMPLIANCE'],
          },
        ),
        days: integer('Days from the upload during which an object is kept.', 'int32', {
          minimum: 1,
          maximum: 3_650,
        }),
      },
      { required: ['mode', 'days'] },
    ),
  },
  {
    required: ['endpoint', 'region', 'bucket'],
    'x-kubernetes-validations': [
      {
        rule: 'has(self.credentialsSecretRef) != has(self.podIdentity)',
        message: 'set exactly one of credentialsSecretRef and podIdentity',
      },
      {
        rule: "!has(self.podIdentity) || self.endpoint.startsWith('https:')",
        message: 'podIdentity needs an endpoint with https, because it sends a token',
      },
      {
        rule: "!has(self.podIdentity) || has(self.podIdentity.roleARN) || !self.endpoint.matches('[.]amazonaws[.]com([.]cn)?(:[0-9]+)?$')",
        message:
          'AWS needs podIdentity.roleARN: set the ARN of the role that trusts the ServiceAccount',
      },
    ],
  },
);

/** Schema of the spec of a KarmadaBackupStore. */
export const storeSpec = object(
  'Where and how backups are stored; set exactly one of s3 and volume.',
  {
    s3,
    volume: object(
      'Existing PVC in the same namespace.',
      {
        claimName: text(
          'Name of the PVC. Pods of backups mount it, so its access mode must permit their node.',
          OBJECT_NAME,
        ),
        prefix: text('Folder in the volume. Defaults to its root.', PREFIX),
      },
      { required: ['claimName'] },
    ),
    probe: text(
      'How often a Pod probes the bucket with a small object: Daily, and after each change of the spec or its Secrets, or Never. Defaults to Daily. A volume is not probed.',
      { enum: ['Daily', 'Never'] },
    ),
    encryption: object(
      'Encryption of backups. A snapshot contains every Secret of the control plane.',
      {
        mode: text('AES256GCM, or None to store everything in plain text.', {
          enum: ['AES256GCM', 'None'],
        }),
        keySecretRef: reference(
          'Secret in the same namespace with the keys. Keep a copy elsewhere: without the key no backup can be restored.',
        ),
        keyID: text(
          'Entry of the Secret with the key, 64 hexadecimal digits. New backups use it; keep earlier entries for earlier backups.',
          CONFIG_KEY,
        ),
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

/** Schema of the status of a KarmadaBackupStore. */
export const storeStatus = object('State of the store. Only the operator writes it.', {
  probedAt: text('Time of the last probe of the bucket.', { format: 'date-time' }),
  probedHash: text('Hash of the generation and of the versions of the Secrets at the last probe.'),
  conditions: conditionList('Conditions of the store. Ready: backups can be stored.'),
});
