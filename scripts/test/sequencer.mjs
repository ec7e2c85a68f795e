// Sequencer for jest: starts the longest test files first, so that all workers finish at about the same time.
import { relative } from 'node:path';

/** Expected seconds by file. A file without a record counts as long. */
const seconds = JSON.parse(process.env.KARMADA_TEST_SECONDS ?? '{}');
const UNKNOWN = 100;

const expected = ({ path }) => seconds[relative(process.cwd(), path)] ?? UNKNOWN;

export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => expected(b) - expected(a) || (a.path < b.path ? -1 : 1));
  }

  shard(tests) {
    return tests;
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
