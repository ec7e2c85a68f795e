/** Store in a folder, such as a mounted PVC. */
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { checkedKey, STORE_CODE, StoreError, type ObjectStore } from './object-store.ts';

/** Suffix of a file that is being written. */
const PART = '.part';

/** Creates a store. @param root absolute path of an existing folder */
export function createFileStore(root: string): ObjectStore {
  const pathOf = (key: string): string => join(root, checkedKey(key));
  return {
    upload: (key, content, signal) => toStoreError(key, write(root, pathOf(key), content, signal)),
    read: (key, signal) => readFile(key, pathOf(key), signal),
    list: (prefix) => toStoreError(prefix, list(root, prefix)),
    delete: (key) => toStoreError(key, rm(pathOf(key), { force: true })),
    deleteUnfinished: (prefix) => toStoreError(prefix, deletePartial(root, prefix)),
  };
}

/** Writes and syncs a partial file, then gives it its name. A link, unlike a rename, never replaces a file. */
async function write(
  root: string,
  path: string,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<number> {
  const partial = path + PART;
  await mkdir(dirname(path), { recursive: true });
  const file = await open(partial, 'wx', 0o600);
  try {
    let length = 0;
    for await (const piece of content) {
      signal.throwIfAborted();
      await file.writeFile(piece);
      length += piece.length;
    }
    await file.sync();
    await link(partial, path);
    return length;
  } finally {
    await file.close();
    await rm(partial, { force: true });
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

async function* readFile(key: string, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path, { signal })) yield piece as Buffer;
  } catch (error) {
    throw asStoreError(key, error);
  }
}

async function list(root: string, prefix: string): Promise<{ key: string; sizeBytes: number }[]> {
  const keys = (await files(root, prefix)).filter((key) => !key.endsWith(PART)).sort();
  return Promise.all(
    keys.map(async (key) => ({ key, sizeBytes: (await stat(join(root, key))).size })),
  );
}

async function deletePartial(root: string, prefix: string): Promise<void> {
  for (const key of await files(root, prefix))
    if (key.endsWith(PART)) await rm(join(root, key), { force: true });
}

/** Paths of all files with a prefix, also of partial ones. */
async function files(root: string, prefix: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((key) => key.startsWith(prefix));
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
};

/** Errors of the file system become store errors; those of the stream stay as they are. */
function asStoreError(key: string, error: unknown): unknown {
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  if (typeof code !== 'string' || typeof syscall !== 'string') return error;
  return new StoreError(`${key}: ${code}`, CODES[code] ?? code);
}
