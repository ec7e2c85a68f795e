import { readFile, writeFile } from 'node:fs/promises';
import { attempt } from './command.ts';
import { Failure } from './failure.ts';
import { requireLinuxOnX64 } from './platform.ts';
import type { Progress } from './progress.ts';

/** Required programs of the base system, with their Debian packages. */
const required: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
  sysctl: 'procps',
};

/**
 * Checks the requirements of an embedded cluster that can be checked before it starts.
 * @throws Failure with what to do
 */
export async function checkMachine(): Promise<void> {
  requireLinuxOnX64('an embedded cluster');
  if (process.getuid?.() !== 0) {
    throw new Failure('an embedded cluster needs root', 'run the command as root (sudo npm run …)');
  }
  for (const [program, debianPackage] of Object.entries(required)) {
    const found = await attempt(['sh', '-c', 'command -v "$1"', 'sh', program]);
    if (found.code !== 0) {
      throw new Failure(`${program} is not installed`, `apt-get install ${debianPackage}`);
    }
  }
}

/** Sets of files that the processes of one user may watch. The default of the kernel is 128, and a cluster needs some 20 of them. */
const WATCH_LIMIT = '/proc/sys/fs/inotify/max_user_instances';
const WATCHES = 1_024;

/** Raises the limit, so that several clusters fit: without it, the container runtime and kubelet of the seventh one do not start. */
export async function raiseWatchLimit(progress: Progress): Promise<void> {
  const limit = Number(await readFile(WATCH_LIMIT, 'utf8'));
  if (limit >= WATCHES) return;
  await writeFile(WATCH_LIMIT, String(WATCHES)).catch((error: unknown) =>
    progress.note(
      `fs.inotify.max_user_instances is ${String(limit)}, enough for some six clusters, and cannot be raised: ${String(error)}`,
    ),
  );
}
