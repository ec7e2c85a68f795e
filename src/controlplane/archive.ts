/** Unpacks a `crds.tar.gz` in memory and within limits. Its content is untrusted. */
import { errorCode } from '../kubernetes/objects/records.ts';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { Header } from 'tar-stream';

export interface ArchiveEntry {
  /** Path in the archive, for example `crds/bases/work/work.karmada.io_works.yaml`. */
  readonly path: string;
  readonly text: string;
}

/** Limits of an archive. Sizes are in bytes. */
export interface ArchiveLimits {
  /** Size of the archive. */
  readonly compressed: number;
  /** Unpacked size, including the tar headers and padding. */
  readonly unpacked: number;
  /** Maximum compression ratio. Checked above `freeOfRatio` unpacked bytes. */
  readonly ratio: number;
  /** Unpacked size without a ratio check, because tar padding of a small archive compresses very well. */
  readonly freeOfRatio: number;
  readonly file: number;
  readonly entries: number;
  readonly path: number;
  /** Members and items of all YAML files, about: their number bounds the memory of the parsed files. */
  readonly values: number;
}

/**
 * Default limits, far above a Karmada release: 33 entries, 83 kB compressed, 690 kB unpacked, largest
 * file 106 kB, longest path 90 bytes, 24,000 values. An API server rejects objects above 1.5 MiB.
 */
export const DEFAULT_LIMITS: ArchiveLimits = {
  compressed: 4 * 1024 * 1024,
  unpacked: 8 * 1024 * 1024,
  ratio: 100,
  freeOfRatio: 1024 * 1024,
  file: 1024 * 1024,
  entries: 500,
  path: 200,
  values: 200_000,
};

/** The archive is rejected. The message is a clause with the entry and the error. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/**
 * Returns the regular files of an archive. Rejects links and devices, absolute, duplicate or
 * non-normalized paths, paths outside `crds`, text that is not UTF-8, and everything above the limits.
 * @param source bytes of the archive (gzip-compressed tar)
 * @returns files in archive order
 * @throws ArchiveError when the archive is rejected; rethrows errors of the source unchanged
 */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits = DEFAULT_LIMITS,
): Promise<readonly ArchiveEntry[]> {
  return readTar(await unpack(source, limits), limits);
}

interface Progress {
  taken: number;
  /** First bytes, to detect other file types. */
  head: Buffer;
  /** The source threw an error. */
  broken: boolean;
}

/** Unpacks the stream incrementally. It stops reading as soon as a limit is exceeded. */
async function unpack(
  source: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits,
): Promise<Buffer<ArrayBuffer>> {
  const progress: Progress = { taken: 0, head: Buffer.alloc(0), broken: false };
  const chunks: Uint8Array[] = [];
  const keep = async (unpacked: AsyncIterable<Uint8Array>): Promise<void> => {
    let size = 0;
    for await (const chunk of unpacked) {
      size += chunk.byteLength;
      checkUnpacked(size, progress.taken, limits);
      chunks.push(chunk);
    }
  };
  try {
    const gunzip = createGunzip({ rejectGarbageAfterEnd: true });
    await pipeline(counted(source, progress, limits.compressed), gunzip, keep);
  } catch (error) {
    if (error instanceof ArchiveError || progress.broken) throw error;
    throw new ArchiveError(gzipFault(error, progress.head), { cause: error });
  }
  return Buffer.concat(chunks);
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  progress: Progress,
  limit: number,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source) {
      progress.taken += chunk.byteLength;
      if (progress.taken > limit) throw new ArchiveError(`it is larger than ${limit} bytes`);
      if (progress.head.length < HEAD)
        progress.head = Buffer.concat([progress.head, chunk]).subarray(0, HEAD);
      yield chunk;
    }
  } catch (error) {
    progress.broken = true;
    throw error;
  }
}

const HEAD = 64;

function checkUnpacked(size: number, taken: number, limits: ArchiveLimits): void {
  if (size > limits.unpacked)
    throw new ArchiveError(`it unpacks to more than ${limits.unpacked} bytes`);
  if (size > limits.freeOfRatio && size > taken * limits.ratio)
    throw new ArchiveError(`it unpacks to more than ${limits.ratio} times its size`);
}

/** Explains why gunzip failed, using the first bytes of the file. */
function gzipFault(error: unknown, head: Buffer): string {
  if (head.length === 0) return 'it is empty';
  if (/^\s*</.test(head.toString('utf8'))) return 'it is an HTML or XML page, not a gzip file';
  if (head[0] !== 0x1f || head[1] !== 0x8b) return 'it is not a gzip file';
  const code = errorCode(error);
  if (code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END')
    return 'it has data after the end of the gzip stream';
  return 'it is not a complete gzip file';
}

async function readTar(tar: Buffer, limits: ArchiveLimits): Promise<readonly ArchiveEntry[]> {
  const parser = extract();
  const found: ArchiveEntry[] = [];
  const paths = new Set<string>();
  // The iterator also throws these errors. Without a listener the event would end the process.
  parser.on('error', () => undefined);
  parser.end(tar);
  try {
    for await (const entry of parser) {
      const path = plainPath(entry.header, limits);
      if (paths.has(path)) throw new ArchiveError(`${shown(path)} occurs more than once`);
      paths.add(path);
      if (paths.size > limits.entries)
        throw new ArchiveError(`it has more than ${limits.entries} entries`);
      const bytes = await content(entry as TarEntry, limits.file);
      if (entry.header.type === 'file') found.push({ path, text: decoded(path, bytes) });
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw new ArchiveError('it is not a complete tar file', { cause: error });
  }
  if (found.length === 0) throw new ArchiveError('it contains no files');
  return found;
}

type TarEntry = AsyncIterable<Uint8Array> & { readonly header: Header };

/** Returns the checked path of an entry, without the trailing slash of a directory. */
function plainPath({ name, type, size }: Header, limits: ArchiveLimits): string {
  if (type !== 'file' && type !== 'directory')
    throw new ArchiveError(`${shown(name)} is a ${type ?? 'special file'}, not a file`);
  const path = type === 'directory' ? name.replace(/\/$/, '') : name;
  if (Buffer.byteLength(path) > limits.path)
    throw new ArchiveError(`${shown(name)} is a path longer than ${limits.path} bytes`);
  const parts = path.split('/');
  if (parts[0] !== 'crds' || !parts.every((part) => /^\w[\w.-]*$/.test(part)))
    throw new ArchiveError(`${shown(name)} is not a normalized path below crds/`);
  if (size > limits.file) throw tooLarge(path, limits.file);
  return path;
}

async function content(entry: TarEntry, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of entry) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(entry.header.name, limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(path: string, limit: number): ArchiveError {
  return new ArchiveError(`${shown(path)} is larger than ${limit} bytes`);
}

function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ArchiveError(`${shown(path)} is not UTF-8 text`, { cause: error });
  }
}

const SHOWN = 120;

/** Returns an untrusted name quoted, truncated and on one line for a message. */
function shown(name: string): string {
  return JSON.stringify(name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name);
}
