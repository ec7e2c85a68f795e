/** Headers of the request that creates an object: server-side encryption and object lock. Pure. */

export interface ServerSideEncryption {
  readonly type: 'AES256' | 'aws:kms';
  /** Key for `aws:kms`; that of the account if absent. */
  readonly kmsKeyID?: string;
}

/** Retention of an object, during which it cannot be deleted. */
export interface ObjectLock {
  readonly mode: 'GOVERNANCE' | 'COMPLIANCE';
  readonly seconds: number;
}

export interface NewObjectSettings {
  readonly sse?: ServerSideEncryption;
  readonly objectLock?: ObjectLock;
}

/** End of the retention of an object that is created now, in RFC 3339. @param now wall clock in milliseconds */
export const lockedUntil = ({ seconds }: ObjectLock, now: number): string =>
  new Date(Math.ceil(now / 1_000 + seconds) * 1_000).toISOString().replace('.000Z', 'Z');

/** Headers of PutObject and CreateMultipartUpload. @param now wall clock in milliseconds */
export function newObjectHeaders(
  { sse, objectLock }: NewObjectSettings,
  now: number,
): Readonly<Record<string, string>> {
  return {
    ...(sse && { 'x-amz-server-side-encryption': sse.type }),
    ...(sse?.kmsKeyID !== undefined && {
      'x-amz-server-side-encryption-aws-kms-key-id': sse.kmsKeyID,
    }),
    ...(objectLock && {
      'x-amz-object-lock-mode': objectLock.mode,
      'x-amz-object-lock-retain-until-date': lockedUntil(objectLock, now),
    }),
  };
}
