/** One try to get an archive, wherever it comes from. */
import type { Problem } from '../api/problem.ts';
import type { SecretPolicy } from '../api/secret-grant.ts';
import { ArchiveError, DEFAULT_LIMITS } from '../controlplane/archive.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { errorText } from '../kubernetes/errors.ts';
import { download, type DownloadTools } from './download.ts';
import { readObject } from './object-source.ts';
import { SourceError, type VerifiedArchive } from './outcome.ts';
import { fieldOf, spoken, type DownloadSource, type FetchedSource } from './source.ts';
import type { ArchiveStore } from './store.ts';
import { ChecksumError } from './verify.ts';

export interface FetchTools extends DownloadTools {
  readonly client: Pick<KubernetesClient, 'get'>;
  readonly store: ArchiveStore;
  readonly secretPolicy: SecretPolicy;
}

export interface Fetched {
  /** With a problem: what was there before, which is used as long as there is nothing better. */
  readonly verified?: VerifiedArchive;
  readonly problem?: Problem;
}

/** Tries once. Never rejects. */
export async function fetchArchive(
  tools: FetchTools,
  source: FetchedSource,
  before: VerifiedArchive | undefined,
  signal: AbortSignal,
): Promise<Fetched> {
  try {
    if (source.kind === 'object')
      return { verified: await readObject(tools, source, before, signal) };
    return await fetchDownload(tools, source, before, signal);
  } catch (error) {
    return { ...(before && { verified: before }), problem: problemFrom(source, error) };
  }
}

async function fetchDownload(
  tools: FetchTools,
  source: DownloadSource,
  before: VerifiedArchive | undefined,
  signal: AbortSignal,
): Promise<Fetched> {
  const { store } = tools;
  const local = source.always ? {} : await onDisk(store, source);
  if (local.verified) return local;
  try {
    const limit = DEFAULT_LIMITS.compressed;
    return { verified: await store.keep(source, download(source, tools, limit, signal)) };
  } catch (error) {
    const problem = problemFrom(source, error);
    const { verified, refused = '' } = source.always ? await onDisk(store, source) : local;
    const known = before ?? verified;
    const message = `${problem.message}${refused}${known ? '; the archive fetched before is used' : ''}`;
    return { ...(known && { verified: known }), problem: { ...problem, message } };
  }
}

interface OnDisk {
  readonly verified?: VerifiedArchive;
  /** A remark about a copy that was laid ready and cannot be used. */
  readonly refused?: string;
}

/** What was laid ready for this address, else what was downloaded earlier. */
async function onDisk(store: ArchiveStore, source: DownloadSource): Promise<OnDisk> {
  try {
    const verified = (await store.ready(source)) ?? (await store.downloaded(source));
    return verified ? { verified } : {};
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    const verified = await store.downloaded(source);
    const refused = `; the copy in the operator's data directory is refused: ${error.message}`;
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

/** An archive came and is refused. */
function refusedArchive(source: FetchedSource, error: ArchiveError): Problem {
  const wrongSum = error instanceof ChecksumError;
  const field = wrongSum ? 'spec.crdTarball.httpSource.sha256' : fieldOf(source);
  const remedy = wrongSum
    ? 'see which of the two is right; nothing of it was opened'
    : 'nothing of it is used; put the crds.tar.gz of a Karmada release there';
  return {
    reason: 'CrdArchiveRefused',
    message: `${field}: the archive from ${spoken(source)} is refused: ${error.message}; ${remedy}`,
  };
}
