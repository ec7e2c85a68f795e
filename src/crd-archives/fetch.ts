/** Performs one attempt to fetch an archive from any kind of source. */
import type { Problem } from '../api/reasons/problem.ts';
import { ArchiveError, DEFAULT_LIMITS } from '../controlplane/archive.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import { download, type DownloadTools } from './download.ts';
import { readObject, type ObjectTools } from './object-source.ts';
import { isInMemory, SourceError, type KnownArchive, type VerifiedArchive } from './outcome.ts';
import {
  fieldOf,
  spoken,
  type DownloadSource,
  type FetchedSource,
  type ObjectSource,
} from './source.ts';
import type { ArchiveStore } from './store.ts';
import { ChecksumError } from './verify.ts';

export interface FetchTools extends DownloadTools, ObjectTools {
  readonly store: ArchiveStore;
}

export interface Fetched {
  /** With a problem: an archive from the disk, which is used until an attempt succeeds. */
  readonly verified?: VerifiedArchive;
  readonly problem?: Problem;
}

/**
 * Fetches an archive once. Never rejects.
 * @param before previous archive of this source, which stays in use after a failure
 * @param signal cancels the attempt
 */
export async function fetchArchive(
  tools: FetchTools,
  source: FetchedSource,
  before: KnownArchive | undefined,
  signal: AbortSignal,
): Promise<Fetched> {
  if (source.kind === 'object') return fetchFromObject(tools, source, before, signal);
  try {
    return await fetchDownload(tools, source, before, signal);
  } catch (error) {
    return { problem: problemFrom(source, error) };
  }
}

/**
 * Reads the archive of a ConfigMap or Secret once. Never rejects.
 * @param before previous archive of this source
 * @param signal cancels the attempt
 */
export async function fetchFromObject(
  tools: ObjectTools,
  source: ObjectSource,
  before: KnownArchive | undefined,
  signal: AbortSignal,
): Promise<Fetched> {
  try {
    return { verified: await readObject(tools, source, before, signal) };
  } catch (error) {
    return { problem: problemFrom(source, error) };
  }
}

async function fetchDownload(
  tools: FetchTools,
  source: DownloadSource,
  before: KnownArchive | undefined,
  signal: AbortSignal,
): Promise<Fetched> {
  const { store } = tools;
  const local = await usableOnDisk(store, source, before);
  if (local?.verified) return local;
  try {
    const limit = DEFAULT_LIMITS.compressed;
    return { verified: await store.keep(source, download(source, tools, limit, signal)) };
  } catch (error) {
    const { verified, refused = '' } = local ?? (await onDisk(store, source));
    const known = isInMemory(before) ? before : verified;
    const problem = downloadProblem(source, error, `${refused}${known ? PREVIOUS : ''}`);
    return { ...(known && { verified: known }), problem };
  }
}

/**
 * Reads the archive from the disk that makes a download unnecessary. With policy Always, that is only the one that was removed from
 * memory.
 * @returns undefined if the disk was not read
 */
async function usableOnDisk(
  store: ArchiveStore,
  source: DownloadSource,
  before: KnownArchive | undefined,
): Promise<OnDisk | undefined> {
  if (!source.always) return onDisk(store, source);
  if (before === undefined || isInMemory(before)) return undefined;
  const local = await onDisk(store, source);
  return local.verified?.sha256 === before.sha256 ? local : undefined;
}

const PREVIOUS = '; the operator uses the previously fetched archive';

function downloadProblem(source: DownloadSource, error: unknown, about: string): Problem {
  const problem = problemFrom(source, error);
  const cause = source.isDefault ? unsetSource(source, problem) : problem.message;
  return { ...problem, message: `${cause}${about}` };
}

/** Message if the operator cannot fetch the published archive of a release. */
function unsetSource({ release = '' }: DownloadSource, { message }: Problem): string {
  const remedy =
    'set spec.crdTarball.httpSource.url to a server that the operator can reach, spec.crdTarball.configMapRef to a ConfigMap with the archive, or the flag --crd-archive-url of the operator to a mirror';
  return `spec.crdTarball: not set, and the operator does not contain the CRDs of Karmada ${release}; ${remedy} (${message})`;
}

interface OnDisk {
  readonly verified?: VerifiedArchive;
  /** Message suffix about an invalid preloaded archive. */
  readonly refused?: string;
}

/** Reads the preloaded archive of this URL, or else an earlier download. */
async function onDisk(store: ArchiveStore, source: DownloadSource): Promise<OnDisk> {
  try {
    const verified = (await store.ready(source)) ?? (await store.downloaded(source));
    return verified ? { verified } : {};
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    const verified = await store.downloaded(source);
    const refused = `; the copy in the data directory of the operator is rejected: ${error.message}`;
    return verified ? { verified } : { refused };
  }
}

function problemFrom(source: FetchedSource, error: unknown): Problem {
  if (error instanceof SourceError) return error.problem;
  if (error instanceof ArchiveError) return refusedArchive(source, error);
  return {
    reason: 'CrdArchiveUnreadable',
    message: `${fieldOf(source)}: ${spoken(source)} cannot be read: ${errorText(error)}`,
  };
}

/** Builds the problem of a rejected archive. */
function refusedArchive(source: FetchedSource, error: ArchiveError): Problem {
  const wrongSum = error instanceof ChecksumError;
  const field = wrongSum ? 'spec.crdTarball.httpSource.sha256' : fieldOf(source);
  const remedy = wrongSum
    ? 'check which of both is correct; the operator did not unpack the archive'
    : 'the operator uses nothing of it; provide the crds.tar.gz of a Karmada release';
  return {
    reason: 'CrdArchiveRefused',
    message: `${field}: the archive from ${spoken(source)} is rejected: ${error.message}; ${remedy}`,
  };
}
