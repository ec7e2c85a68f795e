/** What a quota knows about one namespace. */
import type { MemoryShare } from './cache-memory.ts';

/**
 * - unused: no Karmada object; its objects are left out
 * - loading: its objects are being read
 * - kept: the caches contain all its objects
 * - dropped: it exceeds a limit
 */
type State = 'unused' | 'loading' | 'kept' | 'dropped';

export interface NamespaceEntry {
  /** Number of Karmada objects. */
  karmadas: number;
  state: State;
  share?: MemoryShare | undefined;
  /** Limit that it exceeded the last time; undefined after it was read again. */
  excess?: string | undefined;
  /** Plural of the kind that exceeded it. */
  resource?: string;
  /** Start of the present read, in monotonic milliseconds. */
  loadingSince: number;
  /** How often it was dropped shortly after another time, and when the last time, in monotonic milliseconds. */
  drops: number;
  droppedAt: number;
  cancelRetry: () => void;
}

export const newEntry = (): NamespaceEntry => ({
  karmadas: 0,
  state: 'unused',
  loadingSince: 0,
  drops: 0,
  droppedAt: -Infinity,
  cancelRetry: () => undefined,
});

/** Namespace of which nothing is known. */
export const UNKNOWN: Readonly<NamespaceEntry> = newEntry();

/** Field selectors that a request contains at most, because the length of an URL is limited. */
const MAX_EXCLUDED = 50;

/**
 * Field selector that excludes dropped namespaces; undefined if there are none.
 * @param cause excludes only namespaces in which this kind exceeded a limit
 */
export function excluding(
  entries: Iterable<[string, NamespaceEntry]>,
  cause: string | undefined,
): string | undefined {
  const names = [...entries].flatMap(([name, { state, resource }]) =>
    state === 'dropped' && (cause === undefined || cause === resource)
      ? [`metadata.namespace!=${name}`]
      : [],
  );
  return names.length === 0 ? undefined : names.slice(0, MAX_EXCLUDED).join(',');
}

/** Ends the share of a namespace in the memory of all caches. */
export function endShare(entry: NamespaceEntry): void {
  entry.share?.close();
  entry.share = undefined;
}
