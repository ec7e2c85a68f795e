import { addResults } from './results-file.ts';
import type { SuiteResult } from './results.ts';

export interface ResultStoreOptions {
  readonly root: string;
  /** Digest of the files at the start of the run. */
  readonly tree: string;
  /** Returns the digest of the files now. */
  readonly digest: () => Promise<string>;
  readonly note: (text: string) => void;
}

/** Stores the results of a complete run while it runs. */
export interface ResultStore {
  /** Stores results, unless a file has changed since the start of the run. */
  readonly store: (results: readonly SuiteResult[]) => Promise<void>;
}

/** Returns a store whose results are those of the files that the run started with. */
export function createResultStore({ root, tree, digest, note }: ResultStoreOptions): ResultStore {
  let isChanged = false;
  return {
    async store(results) {
      if (isChanged || results.length === 0) return;
      isChanged = (await digest()) !== tree;
      if (isChanged) note('files have changed since the start: later results are not stored');
      else addResults(root, tree, results);
    },
  };
}
