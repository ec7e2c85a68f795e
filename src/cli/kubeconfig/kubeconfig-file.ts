/** Writes kubeconfig files, which contain credentials: mode 0600, and complete or not at all. */
import { errorCode } from '../../kubernetes/objects/records.ts';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from '../program/environment.ts';

/** Replaces a file. A reader sees the old or the new content. */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  const partial = `${file}.partial`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
}

/**
 * Changes a kubeconfig file under the lock that kubectl uses (`FILE.lock`).
 * @param change receives the present content, empty for a new file
 * @throws CommandError if another program has the lock
 */
export async function changeKubeconfigFile(
  file: string,
  change: (present: string) => string,
): Promise<void> {
  const lock = `${file}.lock`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await locked(lock);
  try {
    await writePrivateFile(file, change(await presentContent(file)));
  } finally {
    await rm(lock, { force: true });
  }
}

async function locked(lock: string): Promise<void> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new CommandError(
      `${lock} exists: another program changes the kubeconfig; if there is none, remove this file`,
    );
  }
}

async function presentContent(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
