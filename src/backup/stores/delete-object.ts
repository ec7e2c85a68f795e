/** Deletes objects of a bucket, and the parts of unfinished uploads. */
import { hasCode, STORE_CODE, StoreError } from './object-store.ts';
import type { S3Client } from './s3-client.ts';
import { uploadsIn, versionsIn } from './s3-xml.ts';

/** An object of a bucket, and the end of the calls about it. */
export interface ObjectTarget {
  readonly client: S3Client;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Deletes an object. @throws StoreError */
export async function deleteObject({ client, key, signal }: ObjectTarget): Promise<void> {
  await client.call({ method: 'DELETE', key, signal });
}

/**
 * Deletes all versions of an object in a bucket with object lock. Deleting the object would only hide them.
 * @throws StoreError, `STORE_CODE.locked` while the retention has not ended
 */
export async function deleteVersions({ client, key, signal }: ObjectTarget): Promise<void> {
  const query = { versions: '', prefix: key };
  const { text } = await client.call({ method: 'GET', query, signal });
  for (const versionId of versionsIn(text, key)) {
    try {
      await client.call({ method: 'DELETE', key, query: { versionId }, signal });
    } catch (error) {
      if (!LOCKED.some((code) => hasCode(error, code))) throw error;
      throw new StoreError(
        `${key}: the object lock of the bucket keeps it, or the credentials do not include s3:DeleteObjectVersion`,
        STORE_CODE.locked,
      );
    }
  }
}

/** Codes of servers for an object whose retention has not ended. */
const LOCKED = ['AccessDenied', 'ObjectLocked', 'InvalidRequest'];

/** Codes of servers without these requests, or for credentials that do not include them. */
const NOT_ALLOWED = ['AccessDenied', 'HTTP403', 'NotImplemented', 'HTTP501'];

/** Aborts the uploads of an object by a killed process, whose parts need space. @throws StoreError */
export async function abortUploads({ client, key, signal }: ObjectTarget): Promise<void> {
  try {
    const query = { uploads: '', prefix: key };
    const { text } = await client.call({ method: 'GET', query, signal });
    for (const { key: found, uploadId } of uploadsIn(text))
      if (found === key) await client.call({ method: 'DELETE', key, query: { uploadId }, signal });
  } catch (error) {
    // Deleting a backup needs no more rights than before. A lifecycle rule of the bucket can remove the parts.
    if (!NOT_ALLOWED.some((code) => hasCode(error, code))) throw error;
  }
}
