// Sequencer for jest: starts the suites without a cluster first, so that no idle cluster takes their CPU time, and of
// each kind the longest test files first, so that all workers finish at about the same time.
import { relative } from 'node:path';

/** Planned seconds by file. */
const seconds = JSON.parse(process.env.KARMADA_TEST_SECONDS ?? '{}');

const expected = ({ path }) => seconds[relative(process.cwd(), path)] ?? 0;

const needsCluster = ({ path }) => Number(relative(process.cwd(), path).startsWith('test/e2e/'));

export default class ClustersLast {
  sort(tests) {
    return [...tests].sort(
      (a, b) =>
        needsCluster(a) - needsCluster(b) ||
        expected(b) - expected(a) ||
        (a.path < b.path ? -1 : 1),
    );
  }

  shard(tests) {
    return tests;
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
