/** Takes a `crds.tar.gz` apart, in memory and within limits, trusting nothing in it. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { Header } from 'tar-stream';

export interface ArchiveEntry {
  /** Path in the archive, such as `crds/bases/work/work.karmada.io_works.yaml`. */
  readonly path: string;
  readonly text: string;
}

export interface ArchiveLimits {
  /** Bytes of the archive itself. */
  readonly compressed: number;
  /** Bytes of everything in it. */
  readonly unpacked: number;
  readonly entries: number;
}

/** A release of Karmada has 25 entries and 0.7 MB; no honest archive comes near these. */
export const DEFAULT_LIMITS: ArchiveLimits = {
  compressed: 16 * 1024 * 1024,
  unpacked: 64 * 1024 * 1024,
  entries: 1000,
};

/** The archive cannot be used; the message says why, for the user. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

const unzip = promisify(gunzip);

/**
 * The regular files of an archive. Refused, as upstream refuses them: links and devices, and paths
 * that are absolute, not in their shortest form, or outside `crds`.
 * @param source bytes of the archive, gzip over tar
 * @throws ArchiveError; errors of the source itself pass through
 */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits = DEFAULT_LIMITS,
): Promise<readonly ArchiveEntry[]> {
  const archive = await collect(source, limits.compressed);
  const tar = await unpack(archive, limits.unpacked);
  return files(tar, limits.entries);
}

async function collect(source: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > limit) throw new ArchiveError(`The CRD archive is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function unpack(archive: Buffer, limit: number): Promise<Buffer> {
  try {
    return await unzip(archive, { maxOutputLength: limit });
  } catch (error) {
    const tooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new ArchiveError(
      tooLarge
        ? `The CRD archive unpacks to more than ${limit} bytes`
        : 'The CRD archive is not a complete gzip file',
      { cause: error },
    );
  }
}

async function files(tar: Buffer, limit: number): Promise<readonly ArchiveEntry[]> {
  const parser = extract();
  parser.end(tar);
  const found: ArchiveEntry[] = [];
  let entries = 0;
  try {
    for await (const entry of parser) {
      entries += 1;
      if (entries > limit) throw new ArchiveError(`The CRD archive has more than ${limit} entries`);
      const { header } = entry;
      checkEntry(header);
      const chunks: Uint8Array[] = [];
      for await (const chunk of entry) chunks.push(chunk as Uint8Array);
      if (header.type === 'file') {
        found.push({ path: header.name, text: Buffer.concat(chunks).toString('utf8') });
      }
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw new ArchiveError('The CRD archive is not a complete tar file', { cause: error });
  }
  return found;
}

function checkEntry({ name, type }: Header): void {
  if (type !== 'file' && type !== 'directory') {
    throw new ArchiveError(`${shown(name)} in the CRD archive is a ${type}, not a file`);
  }
  const parts = (type === 'directory' ? name.replace(/\/$/, '') : name).split('/');
  const plain = parts.every((part) => /^[\w][\w.-]*$/.test(part));
  if (!plain || parts[0] !== 'crds') {
    throw new ArchiveError(`${shown(name)} in the CRD archive is not a plain path below crds/`);
  }
}

/** A name from outside, fit for one line of a message. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
