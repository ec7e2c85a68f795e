/** Store in a folder, such as a mounted PVC. Others may write to it, so no link in it leads to a file outside. */
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, readlink, realpath, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { errorCode, fieldsOf } from '../../kubernetes/objects/records.ts';
import { checkedKey, STORE_CODE, StoreError, type ObjectStore } from './object-store.ts';

/** Suffix of a file that is being written. */
const PART = '.part';

/** Without links, and without waiting for the other end of a pipe. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Creates a store. @param root absolute path of an existing folder */
export function createFileStore(root: string): ObjectStore {
  return {
    upload: (key, content, signal) =>
      toStoreError(key, write(root, checkedKey(key), { content, signal })),
    read: (key, signal) => readFile(root, checkedKey(key), signal),
    list: (prefix) => toStoreError(prefix, list(root, prefix)),
    delete: (key) => toStoreError(key, remove(root, checkedKey(key))),
    deleteUnfinished: (key) => toStoreError(key, remove(root, checkedKey(key) + PART)),
  };
}

/** Opens a file, and proves that it is a file of the store. A folder in its path can have been replaced by a link. */
async function openInside(root: string, key: string, flags: number): Promise<FileHandle> {
  const file = await open(join(root, key), flags, 0o600);
  try {
    const opened = await readlink(`/proc/self/fd/${String(file.fd)}`);
    const isInside = opened === join(await realpath(root), key);
    if (isInside && (await file.stat()).isFile()) return file;
    throw outside(key);
  } catch (error) {
    await file.close();
    throw error;
  }
}

const outside = (key: string): StoreError =>
  new StoreError(`${key}: not a file of the store, or behind a link`, STORE_CODE.outside);

/** Proves that no folder in the path of a key is a link. Others can still replace it, but only delete what they can delete. */
async function checkFolder(root: string, key: string): Promise<void> {
  const folder = dirname(key);
  if ((await realpath(join(root, folder))) !== join(await realpath(root), folder))
    throw outside(key);
}

interface Upload {
  readonly content: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** Writes and syncs a partial file, then gives it its name. A link, unlike a rename, never replaces a file. */
async function write(root: string, key: string, { content, signal }: Upload): Promise<number> {
  const path = join(root, key);
  await mkdir(dirname(path), { recursive: true });
  await checkFolder(root, key);
  const file = await openInside(root, key + PART, CREATE);
  try {
    let length = 0;
    for await (const piece of content) {
      signal.throwIfAborted();
      await file.writeFile(piece);
      length += piece.length;
    }
    await file.sync();
    await link(path + PART, path);
    return length;
  } finally {
    await file.close();
    await rm(path + PART, { force: true });
    await syncFolders(root, dirname(path));
  }
}

async function syncFolders(root: string, folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (relative(root, folder) !== '') await syncFolders(root, dirname(folder));
}

async function* readFile(root: string, key: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    const file = await openInside(root, key, READ);
    yield* file.createReadStream({ signal });
  } catch (error) {
    throw asStoreError(key, error);
  }
}

async function remove(root: string, key: string): Promise<void> {
  try {
    await checkFolder(root, key);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  await rm(join(root, key), { force: true });
}

async function list(root: string, prefix: string): Promise<{ key: string; sizeBytes: number }[]> {
  const keys = (await filesIn(root))
    .map((path) => relative(root, path))
    .filter((key) => key.startsWith(prefix) && !key.endsWith(PART))
    .sort();
  return Promise.all(
    keys.map(async (key) => ({ key, sizeBytes: (await lstat(join(root, key))).size })),
  );
}

/** Paths of the files below a folder. Follows no link, as `readdir` with `recursive` does in Node.js 26. */
async function filesIn(root: string): Promise<readonly string[]> {
  const [files, folders]: [string[], string[]] = [[], [root]];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (entry.isFile()) files.push(path);
    }
  }
  return files;
}

async function toStoreError<T>(key: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw asStoreError(key, error);
  }
}

const CODES: Readonly<Record<string, string>> = {
  EEXIST: STORE_CODE.exists,
  ENOENT: STORE_CODE.notFound,
  // A link at the end of a path.
  ELOOP: STORE_CODE.outside,
};

/** Errors of the file system become store errors; those of the stream stay as they are. */
function asStoreError(key: string, error: unknown): unknown {
  const { code, syscall } = fieldsOf(error);
  if (typeof code !== 'string' || typeof syscall !== 'string') return error;
  return new StoreError(`${key}: ${code}`, CODES[code] ?? code);
}
