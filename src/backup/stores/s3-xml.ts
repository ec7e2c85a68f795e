/** Parses the XML of S3 responses, and renders that of a request. Pure. Responses are untrusted. */
import { STORE_CODE, StoreError, type StoredObject } from './object-store.ts';
import { codeOf, elementsIn, parsedRoot, textIn } from './xml.ts';

/** One page of ListObjectsV2. */
export interface ListedPage {
  readonly objects: readonly StoredObject[];
  /** Token of the next page. */
  readonly next?: string;
}

/** A part of a multipart upload. */
export interface UploadedPart {
  readonly number: number;
  readonly etag: string;
}

/**
 * Error code of a response; undefined if there is none.
 * @param isStrict true if the response may be other XML or none
 */
export function errorCodeIn(text: string, isStrict: boolean): string | undefined {
  const root = text.includes('<Error') || !isStrict ? parsedRoot(text) : undefined;
  if (root?.name !== 'Error') return undefined;
  return codeOf(textIn(root, 'Code'));
}

/** Region that a server names when a request has the wrong one, in its body or in a header. */
export function regionIn(text: string, header: unknown): string | undefined {
  const root = parsedRoot(text);
  const region = typeof header === 'string' ? header : root && textIn(root, 'Region');
  return region !== undefined && /^[a-z0-9-]{1,64}$/.test(region) ? region : undefined;
}

/** ID of a new multipart upload. @throws StoreError */
export function uploadIdIn(text: string): string {
  const root = parsedRoot(text);
  const id = root && textIn(root, 'UploadId');
  if (!id) throw unreadable();
  return id;
}

/** @throws StoreError */
export function listedIn(text: string): ListedPage {
  const root = parsedRoot(text);
  if (root?.name !== 'ListBucketResult') throw unreadable();
  const objects = elementsIn(root, 'Contents').map((entry) => ({
    key: textIn(entry, 'Key') ?? '',
    sizeBytes: Number(textIn(entry, 'Size')),
  }));
  const next = textIn(root, 'NextContinuationToken');
  const isTruncated = textIn(root, 'IsTruncated') === 'true';
  if (isTruncated && !next) throw unreadable();
  return { objects, ...(isTruncated && next !== undefined && { next }) };
}

/** An upload that has neither been completed nor aborted. */
export interface UnfinishedUpload {
  readonly key: string;
  readonly uploadId: string;
}

/** Unfinished uploads in a response to ListMultipartUploads, at most 1,000. @throws StoreError */
export function uploadsIn(text: string): readonly UnfinishedUpload[] {
  const root = parsedRoot(text);
  if (root?.name !== 'ListMultipartUploadsResult') throw unreadable();
  return elementsIn(root, 'Upload').map((entry) => ({
    key: textIn(entry, 'Key') ?? '',
    uploadId: textIn(entry, 'UploadId') ?? '',
  }));
}

/** IDs of all versions and deletion markers of an object, in a response to ListObjectVersions. @throws StoreError */
export function versionsIn(text: string, key: string): readonly string[] {
  const root = parsedRoot(text);
  if (root?.name !== 'ListVersionsResult' || textIn(root, 'IsTruncated') === 'true')
    throw unreadable();
  return ['Version', 'DeleteMarker']
    .flatMap((name) => elementsIn(root, name))
    .filter((entry) => textIn(entry, 'Key') === key)
    .map((entry) => textIn(entry, 'VersionId') ?? '');
}

/** Body of CompleteMultipartUpload. */
export function completion(parts: readonly UploadedPart[]): Buffer {
  const rows = parts.map(
    ({ number, etag }) =>
      `<Part><PartNumber>${String(number)}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
  );
  return Buffer.from(`<CompleteMultipartUpload>${rows.join('')}</CompleteMultipartUpload>`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? '');

const unreadable = (): StoreError =>
  new StoreError('the response of the store is not that of S3', STORE_CODE.incomplete);
