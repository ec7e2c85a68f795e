/** An image of which a node has no part, so that its container runtime reads all of it from the registry. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeImageArchive } from '../../scripts/image/archive.ts';
import { ensureBinaries } from '../../tools/embedded-cluster/binaries.ts';
import { nodePathFile, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { registriesDirectory } from '../../tools/embedded-cluster/configuration.ts';
import { ctr } from '../../tools/embedded-cluster/containerd.ts';
import type { Registry } from './registry.ts';

/**
 * Pushes an image with a program of Karmada to a registry without passwords. Its layer differs from that of all other images by a random file, and the
 * container runtime keeps nothing of it.
 * @param program name of the program, such as `karmada-scheduler`
 * @param name image name in the registry, with tag, without host
 */
export async function pushForeignImage(
  cluster: Cluster,
  registry: Registry,
  { program, name }: { readonly program: string; readonly name: string },
): Promise<void> {
  const { karmada } = await ensureBinaries(['karmada']);
  const image = `docker.io/foreign/${name}`;
  const folder = await mkdtemp(join(tmpdir(), 'foreign-image-'));
  try {
    const file = join(folder, 'image.tar');
    const entries = [
      { path: 'bin/karmada', file: karmada, mode: 0o755 },
      { path: `bin/${program}`, link: 'karmada' },
      { path: 'random', content: randomBytes(64) },
    ];
    await writeImageArchive(file, entries, [{ tags: [image], entrypoint: [`/bin/${program}`] }]);
    const path = await readFile(nodePathFile(cluster.name), 'utf8');
    const images = (...args: string[]): Promise<string> =>
      run(ctr({ node: cluster.node, path, namespace: 'release' }, ['images', ...args]));
    await images('import', '--all-platforms', '--no-unpack', file);
    const hosts = registriesDirectory(cluster.node.directory);
    await images('push', '--hosts-dir', hosts, `${registry.host}/${name}`, image);
    // Waits until the container runtime has removed the layer, too.
    await images('remove', '--sync', image);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
