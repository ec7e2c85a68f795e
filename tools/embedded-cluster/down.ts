import { rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { attempt } from './command.ts';
import { controlGroups, killAll } from './cgroups.ts';
import { lock } from './lock.ts';
import { checkMachine } from './machine.ts';
import { runDirectory } from './paths.ts';
import { poll } from './poll.ts';
import type { Progress } from './progress.ts';
import { addressesOf, checkName, clusterDirectory, slotOf } from './slot.ts';

/** Mount points that the private mounts of clusters need on the machine. */
const mountPoints = ['/var/lib/cni', '/var/lib/kubelet'];

async function awaitLinkGone(link: string): Promise<void> {
  await poll(`link ${link} is gone`, async (seen) => {
    const result = await attempt(['ip', 'link', 'show', link]);
    seen(result.stdout.trim());
    return result.code === 0 ? undefined : true;
  });
}

/**
 * Removes the mount points after the last cluster, if they are empty. The kernel detaches what other clusters have mounted
 * on a directory that is removed.
 */
function removeMountPoints(): void {
  try {
    rmdirSync(runDirectory);
  } catch {
    return; // Other clusters exist.
  }
  for (const path of mountPoints)
    try {
      rmdirSync(path);
    } catch {
      // It is missing, or it has files of other programs.
    }
}

/**
 * Removes all processes and files of a cluster from the machine, in any state. The caller must hold its lock.
 * The kernel removes namespaces, mounts, interfaces and rules with the last process in them.
 */
export async function tearDown(name: string): Promise<void> {
  const slot = slotOf(name);
  await killAll(controlGroups(name));
  if (slot !== undefined) await awaitLinkGone(addressesOf(slot).link);
  await rm(clusterDirectory(name), {
    recursive: true,
    force: true,
    maxRetries: 20,
    retryDelay: 100,
  });
  removeMountPoints();
}

/** Removes a cluster. A missing cluster is not an error. */
export async function down(name: string, progress: Progress): Promise<void> {
  checkName(name);
  await checkMachine();
  const held = await lock(`cluster:${name}`, () =>
    progress.note(`waiting: another process uses cluster ${name}`),
  );
  try {
    await progress.step(`remove cluster ${name}`, () => tearDown(name));
  } finally {
    held.release();
  }
}
