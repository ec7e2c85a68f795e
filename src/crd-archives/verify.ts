/** Verifies a CRD archive. A rejected archive is discarded completely. */
import { createHash, type Hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  ArchiveError,
  DEFAULT_LIMITS,
  readArchive,
  type ArchiveEntry,
} from '../controlplane/archive.ts';
import { readCrdFile, type CrdFile } from '../controlplane/crd-files.ts';
import { toCrdArchive } from '../controlplane/crds.ts';
import { yamlValuesIn } from '../untrusted/documents.ts';
import { lackOf } from '../controlplane/release-crds.ts';
import { memoryOf } from './memory-limits.ts';
import type { VerifiedArchive } from './outcome.ts';

export interface Expectation {
  /** Lower-case hex. Absent: any checksum is accepted. */
  readonly sha256?: string;
  /** Karmada release whose CRDs must be complete. Undefined if unknown. */
  readonly release: string | undefined;
}

/** The checksum does not match that of the Karmada object. */
export class ChecksumError extends ArchiveError {}

/**
 * Reads and verifies a complete archive.
 * @throws ArchiveError with entry and error when the archive is rejected; rethrows errors of the source unchanged
 */
export async function verifyArchive(
  source: AsyncIterable<Uint8Array>,
  { sha256, release }: Expectation,
): Promise<VerifiedArchive> {
  const hash = createHash('sha256');
  const entries = await readArchive(hashed(source, hash));
  const digest = hash.digest('hex');
  checkDigest(digest, sha256);
  checkValues(entries);
  const archive = toCrdArchive(await readFiles(entries));
  const problems = [
    ...archive.problems,
    ...(release === undefined || archive.problems.length > 0 ? [] : lackOf(archive, release)),
  ];
  const [first, ...more] = problems;
  if (first === undefined) return { archive, sha256: digest, memoryBytes: memoryOf(archive) };
  throw new ArchiveError(more.length === 0 ? first : `${first} (and ${more.length} more)`);
}

/** Checks all files together, before one of them is parsed. @throws ArchiveError */
function checkValues(entries: readonly ArchiveEntry[]): void {
  const { values: most } = DEFAULT_LIMITS;
  let count = 0;
  for (const { text } of entries) count += yamlValuesIn(text);
  if (count > most) throw new ArchiveError(`it has more than ${most} values`);
}

/** Compares a digest with the expected one. @throws ChecksumError when they differ */
export function checkDigest(digest: string, wanted: string | undefined): void {
  if (wanted !== undefined && digest !== wanted)
    throw new ChecksumError(`its SHA-256 is ${digest} and does not match the Karmada object`);
}

async function* hashed(source: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Parses one file per event loop turn, because a file of maximum size takes part of a second. */
async function readFiles(entries: readonly ArchiveEntry[]): Promise<readonly CrdFile[]> {
  const files: CrdFile[] = [];
  for (const entry of entries) {
    files.push(readCrdFile(entry));
    await nextTurn();
  }
  return files;
}
