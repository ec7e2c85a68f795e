/**
 * Every benchmark runs with the smallest number of measurements. Their results are not verified.
 *
 * @size enormous
 * @tier all
 */
import { afterAll, expect, it } from '@jest/globals';
import { down } from '../../tools/embedded-cluster/down.ts';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { describeCluster } from '../harness/describe-cluster.ts';

const quick = '--no-warm-up --idle 0';
/** Line below the head of a table. */
const TABLE = /^\|(?: ?-+ ?\|)+$/m;

describeCluster('benchmarks', () => {
  afterAll(async () => {
    for (const name of ['bench', 'bench-host']) await down(name, createProgress(process.stderr));
  }, 120_000);

  it.each([
    ['npm run bench:metrics -- --scrapes 1', TABLE],
    ['npm run bench:fleet -- --count 1,2 --rest 5', TABLE],
    ['npm run bench:backup -- --sizes 1 --etcd 1', /^proof: .* the same hash and \d+ keys$/m],
    ['npm run bench:hosts -- --rounds 1 --seconds 2', TABLE],
    ['npm run bench:cluster -- --runs 1', TABLE],
    [`npm run bench:install -- --pairs 1 --only ours ${quick}`, TABLE],
    [`npm run bench:remote -- --rounds 1 --only local ${quick}`, TABLE],
    ['npm run bench:repair -- --objects 1', /^\d+ objects deleted: median /m],
    ['npm run bench:upgrade -- --only ours', TABLE],
    [`npm run bench:compare -- --rounds 1 --only ours ${quick}`, TABLE],
  ])(
    '%s prints its results',
    async (command, expected) => {
      // Without the tier of this run, in which a benchmark would measure all objects.
      const env = { KARMADA_TEST_TIER: undefined };
      const { code, stdout, stderr } = await attempt(command.split(' '), { cwd: checkout, env });
      process.stderr.write(stderr.slice(-2_000));
      expect(code).toBe(0);
      expect(stdout).toMatch(expected);
    },
    900_000,
  );
});
