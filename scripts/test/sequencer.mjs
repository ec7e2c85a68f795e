// The order in which jest begins test files: the longest first, so that processes that share the work end together.
import { relative } from 'node:path';

/** Expected seconds by file; a file that never ran is taken for long. */
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
