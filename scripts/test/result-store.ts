import { addResults } from './results-file.ts';
import { selectedBy } from './selections.ts';
import type { SuiteResult } from './results.ts';

export interface ResultStoreOptions {
  readonly root: string;
  /** Digest of the files at the start of the run. */
  readonly tree: string;
  /** Returns the digest of the files now. */
  readonly digest: () => Promise<string>;
  readonly note: (text: string) => void;
  /** Environment variables, which may select cases of suites. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Stores the results of a complete run while it runs. */
export interface ResultStore {
  /**
   * Stores results, unless a file has changed since the start of the run. Omits suites of which the user selected cases, because
   * a stored result counts as that of all cases.
   */
  readonly store: (results: readonly SuiteResult[]) => Promise<void>;
}

/** Returns a store whose results are those of the files that the run started with. */
export function createResultStore({
  root,
  tree,
  digest,
  note,
  environment,
}: ResultStoreOptions): ResultStore {
  let isChanged = false;
  const isWhole = ({ suite }: SuiteResult): boolean => {
    const variable = selectedBy(suite, environment);
    if (variable !== undefined) note(`${suite}: not stored, because ${variable} selects its cases`);
    return variable === undefined;
  };
  return {
    async store(given) {
      const results = given.filter(isWhole);
      if (isChanged || results.length === 0) return;
      isChanged = (await digest()) !== tree;
      if (isChanged) note('files have changed since the start: later results are not stored');
      else addResults(root, tree, results);
    },
  };
}
