/** Whether bytes are an archive of CRDs that may be used. Nothing of what is refused gets any further. */
import { createHash, type Hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ArchiveError, readArchive, type ArchiveEntry } from '../controlplane/archive.ts';
import { readCrdFile, type CrdFile } from '../controlplane/crd-files.ts';
import { toCrdArchive } from '../controlplane/crds.ts';
import { lackOf } from '../controlplane/release-crds.ts';
import type { VerifiedArchive } from './outcome.ts';

export interface Expectation {
  /** Lower-case hex; absent: any. */
  readonly sha256?: string;
  /** The release whose CRDs must all be there; undefined: not known. */
  readonly release: string | undefined;
}

/** The bytes are not those that the Karmada asks for. */
export class ChecksumError extends ArchiveError {}

/**
 * Reads an archive from its first byte and checks all of it.
 * @throws ArchiveError with what is wrong and where; errors of the source itself pass through
 */
export async function verifyArchive(
  source: AsyncIterable<Uint8Array>,
  { sha256, release }: Expectation,
): Promise<VerifiedArchive> {
  const hash = createHash('sha256');
  const entries = await readArchive(hashed(source, hash));
  const digest = hash.digest('hex');
  checkDigest(digest, sha256);
  const archive = toCrdArchive(await readFiles(entries));
  const problems = [
    ...archive.problems,
    ...(release === undefined || archive.problems.length > 0 ? [] : lackOf(archive, release)),
  ];
  const [first, ...more] = problems;
  if (first === undefined) return { archive, sha256: digest };
  throw new ArchiveError(more.length === 0 ? first : `${first} (and ${more.length} more)`);
}

/** @throws ChecksumError when a digest is not the one that is wanted */
export function checkDigest(digest: string, wanted: string | undefined): void {
  if (wanted !== undefined && digest !== wanted)
    throw new ChecksumError(`its SHA-256 is ${digest}, not the one that the Karmada asks for`);
}

async function* hashed(source: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

/** One file per turn of the event loop: a text of the largest size takes part of a second. */
async function readFiles(entries: readonly ArchiveEntry[]): Promise<readonly CrdFile[]> {
  const files: CrdFile[] = [];
  for (const entry of entries) {
    files.push(readCrdFile(entry));
    await nextTurn();
  }
  return files;
}
