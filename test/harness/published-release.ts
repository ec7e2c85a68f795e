/** A release of this checkout, published in a registry of the cluster. */
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { packageVersion } from '../../scripts/release/version.ts';
import { ctr } from '../../tools/embedded-cluster/containerd.ts';
import { besideNode } from '../../tools/embedded-cluster/node.ts';
import { nodePathFile, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { ensureBinaries } from '../../tools/embedded-cluster/binaries.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { registriesDirectory } from '../../tools/embedded-cluster/configuration.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import type { Registry } from './registry.ts';

/** Where a release is published: the placeholder `REGISTRY/OWNER` of the documentation. */
const OWNER = 'team';

/** A user who has the files of a release, kubectl, Helm and the plugin, but no checkout. */
export interface ReleaseUser {
  readonly cluster: Cluster;
  readonly registry: Registry;
  readonly version: string;
  /** Working directory, which contains the files of the release. */
  readonly directory: string;
  /** Empty home directory. */
  readonly home: string;
}

/**
 * Builds a release, publishes its image and chart, and unpacks its plugin.
 * @param base empty folder for everything that the user has
 */
export async function publishRelease(
  cluster: Cluster,
  registry: Registry,
  base: string,
): Promise<ReleaseUser> {
  const directory = join(base, 'release');
  const repository = `${registry.host}/${OWNER}/karmada-operator-ts`;
  const build = ['scripts/run.mjs', 'scripts/release.ts', '--dry-run', '--directory', directory];
  await run([process.execPath, ...build, '--repository', repository], {
    cwd: checkout,
    env: { NODE_OPTIONS: '' },
    timeout: 1_200_000,
  });
  const version = await packageVersion();
  const user = { cluster, registry, version, directory, home: join(base, 'home') };
  await mkdir(user.home);
  // In the network of the node, where the user works, nothing can be downloaded.
  await ensureBinaries(['helm']);
  await pushArchive(user, repository);
  await follow(user, [`helm push karmada-operator-${version}.tgz oci://REGISTRY/OWNER/charts`]);
  const plugin = `kubectl-karmada_operator-${version}-linux-amd64.tar.gz`;
  await mkdir(join(base, 'bin'));
  await run(['tar', '-xzf', join(directory, plugin), '-C', join(base, 'bin')]);
  await cp(join(checkout, 'samples'), join(directory, 'samples'), { recursive: true });
  return user;
}

/** Pushes the image of all platforms from the archive of the release. */
async function pushArchive(user: ReleaseUser, repository: string): Promise<void> {
  const { cluster, directory, version } = user;
  const archive = (await readdir(directory)).find((name) => name.endsWith('.oci.tar')) ?? '';
  const path = await readFile(nodePathFile(cluster.name), 'utf8');
  const at = { node: cluster.node, path, namespace: 'release' } as const;
  const inContainerd = (...args: readonly string[]): Promise<string> =>
    run(ctr(at, ['images', ...args]));
  const image = `${repository}:${version}`;
  const file = join(directory, archive);
  await inContainerd('import', '--all-platforms', '--no-unpack', `--index-name=${image}`, file);
  await inContainerd('push', '--hosts-dir', registriesDirectory(cluster.node.directory), image);
}

/**
 * Runs commands of the documentation in one shell.
 * @param commands with the placeholders `REGISTRY` and `OWNER`
 * @returns standard output
 * @throws Error with the output if a command fails
 */
export async function follow(user: ReleaseUser, commands: readonly string[]): Promise<string> {
  const { cluster, registry, directory, home } = user;
  const script = ['set -euxo pipefail', ...commands, ''].join('\n');
  const filled = script.replaceAll('REGISTRY', registry.host).replaceAll('OWNER', OWNER);
  const own = join(dirname(home), 'bin');
  const path = [own, cluster.bin, process.env['PATH'] ?? ''].join(delimiter);
  return run(besideNode(cluster.node, ['bash', '-c', filled]), {
    cwd: directory,
    env: { HOME: home, KUBECONFIG: cluster.kubeconfig, PATH: path, SSL_CERT_FILE: registry.ca },
    timeout: 600_000,
  });
}
