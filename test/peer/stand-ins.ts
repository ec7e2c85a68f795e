/**
 * Images with the names in the specs of Karmada, because the embedded cluster pulls no image. All contain BusyBox: the
 * specs need Pods that run, log and end, and no program of these images.
 */
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { ensureTools } from '../../tools/embedded-cluster/tools.ts';
import { busyboxLayer, loadArchive } from '../harness/busybox-images.ts';
import { STAND_INS } from './suites/base.ts';

const APPLETS = ['sh', 'echo', 'cat', 'ls', 'httpd', 'nc', 'sleep', 'true', 'date', 'env'];

/** The Job of the specs computes a number with Perl, and reads no result. */
const PERL = { path: 'bin/perl', content: '#!/bin/sh\necho 3.14159\n', mode: 0o755 };

/** Loads the images into a cluster. */
export async function loadStandIns(cluster: Cluster, progress: Progress): Promise<void> {
  const { busybox } = await ensureTools(progress);
  const entries = [...busyboxLayer(busybox, APPLETS), PERL];
  await loadArchive(cluster, { name: 'stand-ins', entries, images: STAND_INS });
}
