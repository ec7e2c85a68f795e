/** Sources in use with the state of their attempts, and what is removed from memory when there is too much. */
import { toEvict, type ArchiveUse } from './memory-limits.ts';
import { withoutContent, withShared, type FetchState } from './fetch-state.ts';
import { isInMemory } from './outcome.ts';
import type { FetchedSource } from './source.ts';

/** Source that control planes use, and the state of its attempts. */
export interface Fetching {
  readonly source: FetchedSource;
  /** Namespace in whose slots it is fetched. */
  readonly owner: string;
  job: FetchState;
  /** Number that is larger the later a control plane used it. */
  lastUsed: number;
}

/** Uses the archive of another source instead of an equal one, so that it is in memory once. */
export function shareContent(fetching: Fetching, others: readonly Fetching[]): void {
  const { verified } = fetching.job;
  if (!isInMemory(verified)) return;
  for (const { job } of others)
    if (job.verified?.sha256 === verified.sha256 && isInMemory(job.verified))
      fetching.job = withShared(fetching.job, job.verified.archive);
}

/**
 * Removes archives from memory until the rest is within a limit.
 * @param namespacesOf namespaces of the control planes that use a source, by its identity
 */
export function evict(
  fetchings: readonly (readonly [string, Fetching])[],
  namespacesOf: ReadonlyMap<string, readonly string[]>,
  limit: number,
): void {
  const uses = new Map<string, ArchiveUse>();
  for (const [identity, { job, lastUsed }] of fetchings) {
    if (!isInMemory(job.verified)) continue;
    const { sha256: digest, memoryBytes: bytes } = job.verified;
    const use = { digest, bytes, namespaces: namespacesOf.get(identity) ?? [], lastUsed };
    uses.set(digest, together(use, uses.get(digest)));
  }
  const evicted = new Set(toEvict([...uses.values()], limit));
  for (const [, fetching] of fetchings)
    if (evicted.has(fetching.job.verified?.sha256 ?? ''))
      fetching.job = withoutContent(fetching.job);
}

/** Several sources may have the same archive. */
const together = (use: ArchiveUse, same: ArchiveUse = use): ArchiveUse => ({
  ...use,
  namespaces: [...new Set([...use.namespaces, ...same.namespaces])],
  lastUsed: Math.max(use.lastUsed, same.lastUsed),
});
