/** Writes a report as a compressed archive. */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { CommandError } from '../program/environment.ts';

/** A text file of the archive. */
export interface ReportFile {
  /** Relative to the folder of the report. */
  readonly path: string;
  readonly text: string;
}

export interface ArchiveTarget {
  readonly file: string;
  /** Folder in the archive. */
  readonly folder: string;
  /** Time of the files, in milliseconds since 1970. */
  readonly time: number;
}

/**
 * Writes `.tar.gz`, readable only for the user. A failure leaves no file.
 * @param files one after the other, so that only one log is in memory
 * @throws CommandError if the file exists
 */
export async function writeArchive(
  { file, folder, time }: ArchiveTarget,
  files: AsyncIterable<ReportFile>,
): Promise<void> {
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  await opened(target, file);
  const tar = pack();
  const written = pipeline(tar, createGzip(), target);
  try {
    const filled = (async () => {
      for await (const { path, text } of files)
        await addFile(
          tar,
          { name: `${folder}/${safePath(path)}`, mode: 0o600, mtime: new Date(time) },
          text,
        );
      tar.finalize();
    })();
    await Promise.all([filled, written]);
  } catch (error) {
    tar.destroy();
    await written.catch(() => undefined);
    await rm(file, { force: true });
    throw error;
  }
}

/** A path without `..`, whatever names of objects it contains: each segment has only letters, digits, `_`, `-` and `.`. */
const safePath = (path: string): string =>
  path
    .split('/')
    .map((part) => part.replace(/[^\w.-]/g, '_').replace(/^\.*$/, '_'))
    .join('/');

function opened(target: Writable, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    target.once('open', () => resolve());
    target.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new CommandError(
          error.code === 'EEXIST'
            ? `${file} exists; choose another file with --file`
            : `${file}: not written (${error.message}); choose another file with --file`,
        ),
      ),
    );
  });
}

function addFile(
  tar: ReturnType<typeof pack>,
  header: { readonly name: string; readonly mode: number; readonly mtime: Date },
  text: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry({ ...header }, text, (error) => (error ? reject(error) : resolve()));
  });
}
