/**
 * Every benchmark runs with the smallest number of measurements. Their results are not verified.
 *
 * @size large
 * @tier all
 */
import { afterAll, expect, it } from '@jest/globals';
import { down } from '../embedded-cluster/down.ts';
import { attempt } from '../embedded-cluster/command.ts';
import { checkout } from '../embedded-cluster/paths.ts';
import { createProgress } from '../embedded-cluster/progress.ts';
import { describeCluster } from '../harness/describe-cluster.ts';

const quick = '--no-warm-up --idle 0';

describeCluster('benchmarks', () => {
  afterAll(async () => {
    for (const name of ['bench', 'bench-host']) await down(name, createProgress(process.stderr));
  }, 120_000);

  it.each([
    'npm run bench:metrics -- --scrapes 1',
    'npm run bench:backup -- --sizes 1 --etcd 1',
    'npm run bench:hosts -- --rounds 0 --seconds 1',
    'npm run bench:cluster -- --runs 1',
    `npm run bench:install -- --pairs 1 --only ours ${quick}`,
    `npm run bench:remote -- --rounds 1 --only local ${quick}`,
    'npm run bench:repair -- --objects 1',
    'npm run bench:upgrade -- --only ours',
  ])(
    '%s prints a table',
    async (command) => {
      const { code, stdout, stderr } = await attempt(command.split(' '), { cwd: checkout });
      process.stderr.write(stderr.slice(-2_000));
      expect(code).toBe(0);
      expect(stdout).toMatch(/^\| -+/m);
    },
    900_000,
  );
});
