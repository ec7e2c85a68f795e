/**
 * What a new user does on a new cluster with a published release: the commands of README.md and docs/install.md.
 *
 * @tier all
 */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { duration } from '../../tools/embedded-cluster/progress.ts';
import { removeCluster, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { fencedCommands, sectionOf } from '../docs/markdown-commands.ts';
import { follow, publishRelease, type ReleaseUser } from '../harness/published-release.ts';
import { startRegistry, stopRegistry } from '../harness/registry.ts';

/** Commands for another way to distribute the image: from a checkout. */
const FROM_CHECKOUT = /^(docker|helm upgrade|helm install karmada-operator charts)/;

/** Commands of a section, of both languages, without those for a checkout. */
async function commandsOf(page: string, section: string): Promise<string[]> {
  const text = await readFile(join(checkout, page), 'utf8');
  // Blocks in a list are indented.
  const blocks = sectionOf(text, section).replaceAll(/^ {3}/gm, '').replaceAll('```text', '```sh');
  const all = fencedCommands(blocks, 'sh');
  expect(all.length).toBeGreaterThan(0);
  return all.filter((command) => !FROM_CHECKOUT.test(command));
}

const isForward = (command: string): boolean => command.includes('port-forward');

/** Commands in which a port forward runs in the background until the end of the others. */
const inTwoTerminals = (commands: readonly string[]): string[] =>
  commands.flatMap((command) =>
    isForward(command)
      ? [
          `${command} > forward.log & forward=$!`,
          `trap 'kill "$forward"' EXIT`,
          'until grep -q Forwarding forward.log; do kill -0 "$forward"; sleep 0.1; done',
        ]
      : [command],
  );

describeCluster('published release', () => {
  let cluster: Cluster;
  let directory: string;
  let user: ReleaseUser;

  beforeAll(async () => {
    await removeCluster();
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    directory = await mkdtemp(join(tmpdir(), 'published-'));
    user = await publishRelease(cluster, await startRegistry(cluster, true), directory);
  }, 1_800_000);

  afterAll(async () => {
    stopRegistry(cluster);
    // Its control planes and CRDs are those of a release that no other suite installed.
    await removeCluster();
    await rm(directory, { recursive: true, force: true });
  }, 240_000);

  it('is installed with Helm and shows its status with the commands of README.md, which need no checkout', async () => {
    const commands = await commandsOf('README.md', 'Install');
    expect(commands[0]).toMatch(/^helm install karmada-operator oci:/);
    const start = performance.now();
    const shown = await follow(user, commands);
    const took = duration(performance.now() - start);
    process.stderr.write(`from helm install to the status of a ready control plane: ${took}\n`);
    expect(shown).toContain('condition met');
    expect(shown).toContain('Karmada karmada-demo/karmada-demo: Ready');
  }, 900_000);

  it('is reached by the commands of docs/quickstart.md', async () => {
    const commands = await commandsOf(
      'docs/quickstart.md',
      'Create a control plane in an existing cluster',
    );
    expect(commands.filter(isForward)).toHaveLength(1);
    expect(await follow(user, inTwoTerminals(commands))).toContain('condition met');
  }, 600_000);

  it('answers the questions of its first day with one command each', async () => {
    const ask = (command: string): Promise<string> => follow(user, [command]);
    const of = 'karmada-demo -n karmada-demo';
    expect(await ask(`kubectl karmada-operator status ${of}`)).toMatch(/karmada-demo: Ready/);
    const [, first = ''] = (await ask(`kubectl karmada-operator certificates ${of}`)).split('\n');
    expect(first).toMatch(/\d{4}-\d{2}-\d{2}/);
    const patch = '{"spec":{"components":{"karmadaScheduler":{"replicas":2}}}}';
    const plan = await ask(`kubectl karmada-operator plan ${of} --patch '${patch}'`);
    expect(plan).toMatch(/karmada-demo-scheduler/);
    const proxy = `kubectl karmada-operator kubeconfig ${of} --proxy -- kubectl get --raw /readyz`;
    expect(await ask(proxy)).toMatch(/ok$/m);
  }, 300_000);

  it('is removed by the commands of README.md', async () => {
    await follow(user, await commandsOf('README.md', 'Delete'));
    expect(await follow(user, ['kubectl get crd -o name'])).not.toContain('karmada');
  }, 600_000);

  it('is installed with plain YAML by the commands of docs/install.md', async () => {
    const page = await commandsOf('docs/install.md', 'Install a published release');
    const commands = page.slice(page.findIndex((command) => command.startsWith('sha256sum')));
    expect(commands).toContain('kubectl apply --server-side -f install.yaml');
    const readme = await commandsOf('README.md', 'Install');
    const create = readme.filter((command) => /^kubectl .*(apply|wait)/.test(command));
    await follow(user, [...commands, ...create]);
    const status = await follow(user, ['kubectl karmada-operator status -A']);
    expect(status).toMatch(/karmada-demo +True +Running +8\/8/);
  }, 900_000);

  it('is removed by the commands of config/deploy/README.md', async () => {
    for (const folder of ['config/deploy', 'crds'])
      await cp(join(checkout, folder), join(user.directory, folder), { recursive: true });
    await follow(user, await commandsOf('config/deploy/README.md', 'Uninstall'));
    const left = ['crd', 'clusterroles', 'namespaces'].map((kind) => `kubectl get ${kind} -o name`);
    expect(await follow(user, left)).not.toMatch(/karmada-operator|karmada\.io|karmada-system/);
  }, 600_000);
});
