/** Store in a bucket of an S3-compatible server. */
import { createHash } from 'node:crypto';
import { errorCode } from '../../kubernetes/objects/records.ts';
import { chunksOf, type Chunk } from '../chunks-of.ts';
import { abortUploads, deleteObject, deleteVersions, type ObjectTarget } from './delete-object.ts';
import { newObjectHeaders } from './new-object-headers.ts';
import {
  checkedKey,
  hasCode,
  readSmall,
  STORE_CODE,
  StoreError,
  type ObjectStore,
  type StoredObject,
} from './object-store.ts';
import { createS3Client, type S3Client, type S3Settings, type S3Tools } from './s3-client.ts';
import { completion, listedIn, uploadIdIn, type UploadedPart } from './s3-xml.ts';

/** Length of a part: at most 10,000 parts, so objects may have 80 GiB. One part is in memory. */
const PART_BYTES = 8 * 2 ** 20;
/** Time to remove the parts of a failed upload, in milliseconds. */
const CLEANUP_MS = 30_000;
/** Objects of a prefix. A backup has three, and a server could list others without end. */
const MAX_LISTED = 100_000;
/** Only if the object does not exist. */
const IF_NEW = { 'if-none-match': '*' } as const;

/** Creates a store. */
export function createS3Store(settings: S3Settings, tools: S3Tools): ObjectStore {
  const client = createS3Client(settings, tools);
  const headers = (): Headers => newObjectHeaders(settings, tools.clock.wall());
  return {
    upload: (key, content, signal) =>
      upload({ client, key: checkedKey(key), signal, headers }, content),
    read: (key, signal) => read(client, checkedKey(key), signal),
    list: (prefix, signal) => list(client, prefix, signal),
    delete: (key, signal) => {
      const target = { client, key: checkedKey(key), signal };
      return settings.objectLock === undefined ? deleteObject(target) : deleteVersions(target);
    },
    deleteUnfinished: (key, signal) => abortUploads({ client, key: checkedKey(key), signal }),
  };
}

type Headers = Readonly<Record<string, string>>;

interface NewObject extends ObjectTarget {
  /** Headers of the request that creates the object. */
  readonly headers: () => Headers;
}

async function upload(target: NewObject, content: AsyncIterable<Uint8Array>): Promise<number> {
  const { key } = target;
  if ((await sizeOf(target)) !== undefined)
    throw new StoreError(`${key}: exists already`, STORE_CODE.exists);
  const parts = chunksOf(content, PART_BYTES);
  try {
    const { value: first } = await parts.next();
    if (first === undefined) throw new Error('a stream has a last chunk');
    if (first.isLast) return await put(target, first.bytes);
    return await uploadParts(target, resumed(first, parts));
  } finally {
    await parts.return(undefined);
  }
}

/** A stream whose first part was taken already. */
async function* resumed(
  first: Chunk,
  rest: AsyncGenerator<Chunk, undefined>,
): AsyncGenerator<Chunk> {
  yield first;
  yield* rest;
}

/** Stores a short object with one request. */
async function put(target: NewObject, body: Buffer): Promise<number> {
  const { client, key, signal } = target;
  try {
    const created = { ...target.headers(), ...md5Of(body) };
    await ifNew((condition) => {
      const headers = { ...created, ...condition };
      return client.call({ method: 'PUT', key, headers, body, signal });
    });
  } catch (error) {
    // An earlier attempt may have succeeded without a response. Another object with this key is an error.
    if (!hasCode(error, 'PreconditionFailed') || !(await hasContent(target, body)))
      throw asExisting(key, error);
  }
  return body.length;
}

const hasContent = async ({ client, key, signal }: ObjectTarget, body: Buffer): Promise<boolean> =>
  (await readSmall({ read: () => read(client, key, signal) }, key, signal)).equals(body);

async function uploadParts(target: NewObject, parts: AsyncIterable<Chunk>): Promise<number> {
  const { client, key, signal } = target;
  const headers = target.headers();
  const begun = await client.call({ method: 'POST', key, query: { uploads: '' }, headers, signal });
  const uploadId = uploadIdIn(begun.text);
  try {
    const uploaded: UploadedPart[] = [];
    let length = 0;
    for await (const { bytes: body } of parts) {
      uploaded.push(await uploadPart(target, { uploadId, number: uploaded.length + 1, body }));
      length += body.length;
    }
    await complete(target, uploadId, { parts: uploaded, length });
    return length;
  } catch (error) {
    await abort(target, uploadId);
    throw asExisting(key, error);
  }
}

interface Part {
  readonly uploadId: string;
  readonly number: number;
  readonly body: Buffer;
}

async function uploadPart(
  { client, key, signal }: ObjectTarget,
  { uploadId, number, body }: Part,
): Promise<UploadedPart> {
  const query = { partNumber: String(number), uploadId };
  const headers = md5Of(body);
  const answer = await client.call({ method: 'PUT', key, query, headers, body, signal });
  const { etag } = answer.headers;
  if (typeof etag !== 'string')
    throw new StoreError(`${key}: part ${String(number)} has no ETag`, STORE_CODE.incomplete);
  return { number, etag };
}

/** Some servers verify the MD5 sum but not the signed SHA-256 sum. Objects with a retention require it. */
const md5Of = (body: Buffer): Headers => ({
  'content-md5': createHash('md5').update(body).digest('base64'),
});

/** Completes an upload. The size proves it, because a response can be lost. */
async function complete(
  target: ObjectTarget,
  uploadId: string,
  { parts, length }: { readonly parts: readonly UploadedPart[]; readonly length: number },
): Promise<void> {
  const { client, key, signal } = target;
  const query = { uploadId };
  const body = completion(parts);
  try {
    await ifNew((headers) => client.call({ method: 'POST', key, query, headers, body, signal }));
  } catch (error) {
    if (!hasCode(error, 'NoSuchUpload')) throw error;
  }
  const size = await sizeOf(target);
  if (size !== length)
    throw new StoreError(
      `${key}: the store has ${String(size ?? 0)} of ${String(length)} bytes`,
      STORE_CODE.incomplete,
    );
}

/** Sends a conditional write, without the condition to a server that does not implement it. */
async function ifNew<T>(
  write: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  try {
    return await write(IF_NEW);
  } catch (error) {
    if (!hasCode(error, 'NotImplemented')) throw error;
    return write({});
  }
}

/** Removes the parts of a failed upload. The bucket keeps them if the server does not respond. */
async function abort({ client, key }: ObjectTarget, uploadId: string): Promise<void> {
  const signal = AbortSignal.timeout(CLEANUP_MS);
  await client.call({ method: 'DELETE', key, query: { uploadId }, signal }).catch(() => undefined);
}

/** @returns undefined if the object does not exist */
async function sizeOf({ client, key, signal }: ObjectTarget): Promise<number | undefined> {
  try {
    const { headers } = await client.call({ method: 'HEAD', key, signal });
    return Number(headers['content-length']);
  } catch (error) {
    if (hasCode(error, STORE_CODE.notFound)) return undefined;
    throw await withCode({ client, key, signal }, error);
  }
}

/** A response to HEAD has no body, so only that to GET names the cause, such as wrong credentials. */
async function withCode({ client, key, signal }: ObjectTarget, error: unknown): Promise<unknown> {
  if (!(error instanceof StoreError) || !/^HTTP4/.test(error.code)) return error;
  const request = { method: 'GET', key, headers: { range: 'bytes=0-0' }, signal } as const;
  return client.call(request).then(
    () => error,
    (reason: unknown) => reason,
  );
}

async function* read(client: S3Client, key: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const body = await client.open({ method: 'GET', key, signal }).catch((error: unknown) => {
    throw hasCode(error, 'NoSuchKey')
      ? new StoreError(`${key}: not found`, STORE_CODE.notFound)
      : error;
  });
  try {
    yield* body;
  } catch (error) {
    const code = String(errorCode(error) ?? 'UNKNOWN');
    throw new StoreError(`${key}: the response ended early (${code})`, STORE_CODE.incomplete);
  }
}

async function list(
  client: S3Client,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly StoredObject[]> {
  const found: StoredObject[] = [];
  for (let token: string | undefined; ;) {
    const query = {
      'list-type': '2',
      prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const page = listedIn((await client.call({ method: 'GET', query, signal })).text);
    found.push(...page.objects.filter(({ key }) => key.startsWith(prefix)));
    if (found.length > MAX_LISTED)
      throw new StoreError(
        `${prefix}: the store lists more than ${MAX_LISTED} objects`,
        STORE_CODE.incomplete,
      );
    if (page.next === undefined) return found.sort((a, b) => (a.key < b.key ? -1 : 1));
    token = page.next;
  }
}

const asExisting = (key: string, error: unknown): unknown =>
  hasCode(error, 'PreconditionFailed')
    ? new StoreError(`${key}: exists already`, STORE_CODE.exists)
    : error;
