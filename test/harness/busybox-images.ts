/** Images with BusyBox in place of those that the embedded cluster cannot pull. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  writeImageArchive,
  type ImageConfig,
  type LayerEntry,
} from '../../scripts/image/archive.ts';
import { loadImages, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { cacheDirectory, digest } from '../../tools/embedded-cluster/paths.ts';

/** Returns the entries of a layer with BusyBox under the names of its applets. */
export const busyboxLayer = (
  busybox: string,
  applets: readonly string[],
): readonly LayerEntry[] => [
  { path: 'bin/busybox', file: busybox, mode: 0o755 },
  ...applets.map((name) => ({ path: `bin/${name}`, link: 'busybox' })),
  { path: 'etc/passwd', content: 'root:x:0:0:root:/root:/bin/sh\n' },
  { path: 'tmp', directory: true, mode: 0o1777 },
];

interface Archive {
  readonly name: string;
  readonly entries: readonly LayerEntry[];
  readonly images: readonly ImageConfig[];
}

/** Loads images of one layer into a cluster. The cache keeps their archive. */
export async function loadArchive(
  cluster: Cluster,
  { name, entries, images }: Archive,
): Promise<void> {
  const directory = join(cacheDirectory(), 'images');
  await mkdir(directory, { recursive: true });
  const key = digest(JSON.stringify(entries), JSON.stringify(images));
  const file = join(directory, `${name}-${key}.tar`);
  if (!existsSync(file)) await writeImageArchive(file, entries, images);
  await loadImages(cluster, [file]);
}
