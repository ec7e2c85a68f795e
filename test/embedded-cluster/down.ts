import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { attempt } from './command.ts';
import { controlGroups, killAll } from './cgroups.ts';
import { lock } from './lock.ts';
import { checkMachine } from './machine.ts';
import { runDirectory } from './paths.ts';
import { poll } from './poll.ts';
import type { Progress } from './progress.ts';
import { addressesOf, checkName, clusterDirectory, slotOf } from './slot.ts';

/** Mount points that the private mounts of the cluster needed on the machine. They are removed if they are empty. */
const mountPoints = ['/var/lib/cni', runDirectory];

async function awaitLinkGone(link: string): Promise<void> {
  await poll(`link ${link} is gone`, async (seen) => {
    const result = await attempt(['ip', 'link', 'show', link]);
    seen(result.stdout.trim());
    return result.code === 0 ? undefined : true;
  });
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
  for (const path of mountPoints) {
    if (existsSync(path)) await rmdir(path).catch(() => undefined);
  }
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
