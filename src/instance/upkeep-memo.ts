/** What the operator remembers about the maintenance of an etcd: plain values. */

/** What the operator did before. Kept in memory only: losing it costs at most one more attempt. */
export interface UpkeepMemo {
  /** By member ID, time of the last attempt to defragment it, wall clock in milliseconds. */
  readonly defragmentedAt: ReadonlyMap<string, number>;
  /** Last compaction: its revision, and its time, wall clock in milliseconds. */
  readonly compacted?: { readonly revision: string; readonly at: number };
  /** No maintenance before this time, wall clock in milliseconds: the last attempt failed or did nothing. */
  readonly restUntil?: number;
}

export const NO_MEMO: UpkeepMemo = { defragmentedAt: new Map() };
