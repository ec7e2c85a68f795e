// Sequencer for jest: starts the longest test files first, so that all workers finish at about the same time.
import { relative } from 'node:path';

/** Planned seconds by file. */
const seconds = JSON.parse(process.env.KARMADA_TEST_SECONDS ?? '{}');

const expected = ({ path }) => seconds[relative(process.cwd(), path)] ?? 0;

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
