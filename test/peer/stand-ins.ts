/**
 * Images with the names in the specs of Karmada, because the embedded cluster pulls no image. All contain BusyBox: the
 * specs need Pods that run, log and end, and no program of these images.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeImageArchive, type LayerEntry } from '../../scripts/image/archive.ts';
import { loadImages, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { cacheDirectory, digest } from '../../tools/embedded-cluster/paths.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { ensureTools } from '../../tools/embedded-cluster/tools.ts';
import { STAND_INS } from './suites/base.ts';

const APPLETS = ['sh', 'echo', 'cat', 'ls', 'httpd', 'nc', 'sleep', 'true', 'date', 'env'];

const layer = (busybox: string): readonly LayerEntry[] => [
  { path: 'bin/busybox', file: busybox, mode: 0o755 },
  ...APPLETS.map((name) => ({ path: `bin/${name}`, link: 'busybox' })),
  // The Job of the specs computes a number with Perl, and reads no result.
  { path: 'bin/perl', content: '#!/bin/sh\necho 3.14159\n', mode: 0o755 },
  { path: 'etc/passwd', content: 'root:x:0:0:root:/root:/bin/sh\n' },
  { path: 'tmp', directory: true, mode: 0o1777 },
];

/** Loads the images into a cluster. */
export async function loadStandIns(cluster: Cluster, progress: Progress): Promise<void> {
  const { busybox } = await ensureTools(progress);
  const entries = layer(busybox);
  const key = digest(JSON.stringify(entries), JSON.stringify(STAND_INS));
  const file = join(cacheDirectory(), 'peer', `stand-ins-${key}.tar`);
  if (!existsSync(file)) await writeImageArchive(file, entries, STAND_INS);
  await loadImages(cluster, [file]);
}
