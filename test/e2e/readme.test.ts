/**
 * @size large
 * @sample medium
 * @alone
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { attempt, run } from '../../tools/embedded-cluster/command.ts';
import { cacheDirectory, checkout } from '../../tools/embedded-cluster/paths.ts';
import { duration } from '../../tools/embedded-cluster/progress.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { fencedCommands } from '../docs/markdown-commands.ts';
import { runsAll } from '../harness/sample.ts';

/** The command that runs this test. */
const own = 'npm test';

describeCluster('README and the demo of CONTRIBUTING', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'karmada-readme-'));
    await run(['git', 'clone', '--quiet', '--no-local', checkout, join(directory, 'checkout')]);
    await run(['mkdir', join(directory, 'home')]);
  }, 120_000);

  afterAll(async () => {
    // The Go module cache is read-only.
    await run(['chmod', '-R', 'u+w', directory]);
    await rm(directory, { recursive: true, force: true });
  }, 120_000);

  /** Commands of a page in the clone. */
  const commandsOf = async (page: string): Promise<string[]> =>
    fencedCommands(await readFile(join(directory, 'checkout', page), 'utf8'), 'sh');

  it('contain commands that succeed unchanged in a new clone with an empty home directory', async () => {
    const documented = await commandsOf('CONTRIBUTING.md');
    expect(documented).toContain(own);
    const demo = documented.filter((line) => line !== own);
    expect(demo[0]).toBe('npm run demo');
    expect(demo.at(-1)).toBe('npm run demo -- --down');
    const script = join(directory, 'readme.sh');
    // The commands of the README need a cluster: that of the demo.
    const commands = [...demo.slice(0, -1), ...(await commandsOf('README.md')), ...demo.slice(-1)];
    await writeFile(script, ['set -euxo pipefail', ...commands, ''].join('\n'));
    // A sampled run uses the build caches, whose keys are content hashes. A full run starts with empty caches.
    const caches = { KARMADA_OPERATOR_CACHE: cacheDirectory(), GOMODCACHE: await moduleCache() };
    const start = performance.now();
    const result = await attempt(['bash', script], {
      cwd: join(directory, 'checkout'),
      env: {
        HOME: join(directory, 'home'),
        XDG_CACHE_HOME: undefined,
        KUBECONFIG: undefined,
        ...(runsAll ? { KARMADA_OPERATOR_CACHE: undefined, GOMODCACHE: undefined } : caches),
      },
      timeout: 3_000_000,
    });
    process.stderr.write(result.stderr.slice(-6_000));
    process.stderr.write(`all commands: ${duration(performance.now() - start)}\n`);
    expect(result.code).toBe(0);
  }, 3_600_000);
});

async function moduleCache(): Promise<string> {
  return (await run(['go', 'env', 'GOMODCACHE'])).trim();
}
