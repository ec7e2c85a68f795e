/** What a user does about an error of a store, by its code: pure. Messages name the field of the KarmadaBackupStore. */
import { StoreError } from './object-store.ts';
import { TOKEN_SERVICE } from './sts-xml.ts';

interface Remedy {
  readonly codes: readonly string[];
  readonly text: string;
}

const ofTokenService = (code: string): string => `${TOKEN_SERVICE}${code}`;

const REMEDIES: readonly Remedy[] = [
  {
    codes: ['AccessDenied', 'AllAccessDisabled', 'HTTP403'],
    text: 'spec.s3.credentialsSecretRef or spec.s3.podIdentity: allow these credentials to list the bucket, and to get, put and delete objects',
  },
  {
    codes: ['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidClientTokenId', 'HTTP401'],
    text: 'spec.s3.credentialsSecretRef: correct accessKeyID and secretAccessKey in the Secret',
  },
  {
    codes: ['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired'],
    text: 'spec.s3.credentialsSecretRef: the temporary credentials are not valid any more; renew them and sessionToken in the Secret',
  },
  {
    codes: ['AccessDenied', 'NotAuthorized'].map(ofTokenService),
    text: 'spec.s3.podIdentity: the role must trust the ServiceAccount of the namespace where the Pod runs, and exist',
  },
  {
    codes: [
      'InvalidIdentityToken',
      'IDPCommunicationError',
      'IDPRejectedClaim',
      'InvalidParameterValue',
      'InvalidClientTokenId',
    ].map(ofTokenService),
    text: 'spec.s3.podIdentity: register the issuer of the ServiceAccount tokens of this cluster in the token service, with the audience of the token',
  },
  {
    codes: ['ExpiredToken', 'ExpiredTokenException'].map(ofTokenService),
    text: 'correct the clock of the node of the Pod, or that of the token service',
  },
  {
    codes: ['ValidationError', 'MalformedPolicyDocument', 'InvalidRoleARN', 'NoSuchEntity'].map(
      ofTokenService,
    ),
    text: 'spec.s3.podIdentity.roleARN: correct the ARN of the role',
  },
  {
    codes: ['Unknown', 'NotImplemented', 'MethodNotAllowed', 'NotFound'].map(ofTokenService),
    text: 'spec.s3.podIdentity: the server has no token service; use spec.s3.credentialsSecretRef',
  },
  {
    codes: ['RequestTimeTooSkewed', 'RequestExpired'],
    text: 'correct the clock of the node of the Pod, or that of the S3 server',
  },
  {
    codes: [
      'AuthorizationHeaderMalformed',
      'PermanentRedirect',
      'TemporaryRedirect',
      'HTTP301',
      'HTTP307',
      'IllegalLocationConstraintException',
      'IncorrectEndpoint',
    ],
    text: 'spec.s3.region and spec.s3.endpoint: set those of the bucket',
  },
  {
    codes: ['KMS.NotFoundException', 'KMS.DisabledException', 'KMS.AccessDeniedException'],
    text: 'spec.s3.sse.kmsKeyID: correct the key, and allow the credentials to use it',
  },
  {
    codes: [
      'InvalidRequest',
      'ObjectLockConfigurationNotFoundError',
      'InvalidBucketObjectLockConfiguration',
    ],
    text: 'spec.s3.objectLock and spec.s3.sse: the bucket does not support them; enable object lock for the bucket, or unset the fields',
  },
  { codes: ['NoSuchBucket'], text: 'spec.s3.bucket: create the bucket, or correct its name' },
  {
    codes: ['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull', 'HTTP507'],
    text: 'spec.s3.bucket: the store is full; enlarge it or its quota, or delete backups',
  },
  {
    codes: ['ENOSPC', 'EDQUOT'],
    text: 'spec.volume.claimName: the store is full; enlarge the PVC, or delete backups',
  },
  {
    codes: ['EROFS', 'EACCES', 'EPERM'],
    text: 'spec.volume: make the volume writable for the GID 65532',
  },
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN'],
    text: 'spec.s3.endpoint: the name cannot be resolved where the Pod runs; correct it, or set spec.s3.pathStyle',
  },
  {
    codes: [
      'ECONNREFUSED',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'ETIMEDOUT',
      'ECONNRESET',
      'UND_ERR_CONNECT_TIMEOUT',
      'UND_ERR_SOCKET',
    ],
    text: 'spec.s3.endpoint: allow connections from the Pod to the server, or correct the address',
  },
  {
    codes: [
      'SlowDown',
      'RequestTimeout',
      'ServiceUnavailable',
      'InternalError',
      'UND_ERR_HEADERS_TIMEOUT',
      'UND_ERR_BODY_TIMEOUT',
      'HTTP500',
      'HTTP503',
    ],
    text: 'spec.s3.endpoint: the S3 server is overloaded or faulty; try again later',
  },
  {
    codes: ['TimeoutError'],
    text: 'the store is slower than spec.activeDeadlineSeconds of the KarmadaBackup allows; increase it',
  },
  {
    codes: [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'CERT_HAS_EXPIRED',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'CERT_NOT_YET_VALID',
    ],
    text: 'spec.s3.caSecretRef: set ca.crt to the CA of the server, and check its certificate',
  },
];

/** Text of an error: that of a store with what to do about it. */
export function storeErrorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof StoreError)) return text;
  const remedy = REMEDIES.find(({ codes }) => codes.includes(error.code));
  return remedy === undefined ? text : `${text}; ${remedy.text}`;
}
