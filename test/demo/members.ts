/** Clusters that a user joins to the control plane of the demo. */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { memberClusters } from './target.ts';

/**
 * Starts the member clusters and copies their kubeconfigs.
 * @param directory folder for the kubeconfigs, which are named after the member clusters
 */
export async function startMembers(directory: string, progress: Progress): Promise<void> {
  for (const [member, name] of Object.entries(memberClusters)) {
    const { kubeconfig } = await up({ name, images: [], progress });
    const file = join(directory, `${member}.kubeconfig`);
    await rm(file, { force: true });
    // The mode of the original stays: the kubeconfig is that of an administrator.
    await copyFile(kubeconfig, file);
    progress.note(`cluster ${name} is ready: ${member}.kubeconfig`);
  }
}
