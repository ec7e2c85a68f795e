/** Takes a `crds.tar.gz` apart, in memory and within limits, trusting nothing in it. */
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { Header } from 'tar-stream';

export interface ArchiveEntry {
  /** Path in the archive, such as `crds/bases/work/work.karmada.io_works.yaml`. */
  readonly path: string;
  readonly text: string;
}

/** Sizes are in bytes. */
export interface ArchiveLimits {
  /** Of the archive itself. */
  readonly compressed: number;
  /** Of everything in it, the tar's own blocks included. */
  readonly unpacked: number;
  /** Unpacked bytes per byte of the archive, beyond `freeOfRatio`. */
  readonly ratio: number;
  /** Padding of a tar shrinks without end, so small archives are not measured. */
  readonly freeOfRatio: number;
  readonly file: number;
  readonly entries: number;
  readonly path: number;
}

/**
 * A release of Karmada has 33 entries, 83 kB packed and 690 kB unpacked, a largest file of 106 kB and a
 * longest path of 90; no honest archive comes near these. An API server takes no object above 1.5 MiB.
 */
export const DEFAULT_LIMITS: ArchiveLimits = {
  compressed: 4 * 1024 * 1024,
  unpacked: 8 * 1024 * 1024,
  ratio: 100,
  freeOfRatio: 1024 * 1024,
  file: 1024 * 1024,
  entries: 500,
  path: 200,
};

/** An archive is refused; the message is a clause that says what is wrong, and where. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/**
 * The regular files of an archive. Refused are links and devices, paths that are absolute, twice there, not
 * in their shortest form or outside `crds`, texts that are not UTF-8, and all that exceeds the limits.
 * @param source bytes of the archive, gzip over tar
 * @throws ArchiveError; errors of the source itself pass through
 */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits = DEFAULT_LIMITS,
): Promise<readonly ArchiveEntry[]> {
  return readTar(await unpack(source, limits), limits);
}

interface Progress {
  taken: number;
  /** The first bytes, by which a file that is something else can be told. */
  head: Buffer;
  /** The source itself threw. */
  broken: boolean;
}

/** Unpacks as the bytes come: not one more is taken or kept than the limits allow. */
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

/** What a file that gunzip does not take is instead. */
function gzipFault(error: unknown, head: Buffer): string {
  if (head.length === 0) return 'it is empty';
  if (/^\uFEFF?\s*</.test(head.toString('utf8')))
    return 'it is an HTML or XML page, not a gzip file';
  if (head[0] !== 0x1f || head[1] !== 0x8b) return 'it is not a gzip file';
  const { code } = error as { code?: unknown };
  if (code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END') return 'it has something behind its end';
  return 'it is not a complete gzip file';
}

async function readTar(tar: Buffer, limits: ArchiveLimits): Promise<readonly ArchiveEntry[]> {
  const parser = extract();
  const found: ArchiveEntry[] = [];
  const paths = new Set<string>();
  // Errors come through the iterator too; without a listener this one would end the process.
  parser.on('error', () => undefined);
  parser.end(tar);
  try {
    for await (const entry of parser) {
      const path = plainPath(entry.header, limits);
      if (paths.has(path)) throw new ArchiveError(`${shown(path)} is in it twice`);
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
  if (found.length === 0) throw new ArchiveError('it holds no file');
  return found;
}

type TarEntry = AsyncIterable<Uint8Array> & { readonly header: Header };

/** Path of an entry, for a directory without the slash at its end. */
function plainPath({ name, type, size }: Header, limits: ArchiveLimits): string {
  if (type !== 'file' && type !== 'directory')
    throw new ArchiveError(
      `${shown(name)} is a ${(type as string | null) ?? 'special file'}, not a file`,
    );
  const path = type === 'directory' ? name.replace(/\/$/, '') : name;
  if (Buffer.byteLength(path) > limits.path)
    throw new ArchiveError(`${shown(name)} is a path of more than ${limits.path} bytes`);
  const parts = path.split('/');
  if (parts[0] !== 'crds' || !parts.every((part) => /^\w[\w.-]*$/.test(part)))
    throw new ArchiveError(`${shown(name)} is not a plain path below crds/`);
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
    throw new ArchiveError(`${shown(path)} is not a text in UTF-8`, { cause: error });
  }
}

const SHOWN = 120;

/** A name from outside, fit for one line of a message. */
function shown(name: string): string {
  return JSON.stringify(name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name);
}
