/** Interface of a store of backups. Keys are paths with `/`. No call replaces an existing object. */

export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
}

export interface ObjectStore {
  /**
   * Stores a stream. The object appears only when it is complete; after an error nothing remains of it.
   * @returns stored bytes
   * @throws StoreError, also if the object exists; errors of the stream
   */
  upload(key: string, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number>;
  /** Reads an object. @throws StoreError */
  read(key: string, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Objects whose keys start with a prefix, sorted by key. @throws StoreError */
  list(prefix: string, signal: AbortSignal): Promise<readonly StoredObject[]>;
  /** Deletes an object; none is no error. @throws StoreError */
  delete(key: string, signal: AbortSignal): Promise<void>;
  /**
   * Removes what uploads of an object left whose process was killed. No upload of it may run.
   * @throws StoreError, but not if the credentials do not allow it
   */
  deleteUnfinished(key: string, signal: AbortSignal): Promise<void>;
}

/** Error of a store. The message contains no credentials. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  /** Error code of S3, of Node.js, or one of `STORE_CODE`. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Whether an error of a store has a code. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof StoreError && error.code === code;

export const STORE_CODE = {
  exists: 'ObjectExists',
  notFound: 'NotFound',
  incomplete: 'Incomplete',
  locked: 'ObjectLocked',
  /** The path of the object leaves the folder of the store, or is not a file. */
  outside: 'NotInStore',
} as const;

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Checks a key: no empty, hidden or relative segment, and no character that a URL escapes. @throws StoreError */
export function checkedKey(key: string): string {
  if (!KEY.test(key)) throw new StoreError(`invalid key ${JSON.stringify(key)}`, 'InvalidKey');
  return key;
}

/** A stream with one piece. */
export async function* once(content: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  yield content;
}

/** Reads an object that must be small. @throws StoreError, also if it is longer than `most` bytes */
export async function readSmall(
  store: Pick<ObjectStore, 'read'>,
  key: string,
  signal: AbortSignal,
  most = 2 ** 24,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of store.read(key, signal)) {
    length += piece.length;
    if (length > most) throw new StoreError(`${key}: longer than expected`, STORE_CODE.incomplete);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
