/** Starts the operator of an image without a container runtime. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../tools/embedded-cluster/command.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { containerSettings } from '../image/operator.ts';
import { arm64Emulator } from './debian.ts';
import type { Layer } from './oci.ts';
import type { Platform } from './platforms.ts';

/** Returns the command that starts a program of `root` with the libraries of `root`. */
async function launcher(
  root: string,
  { architecture, linker, triplet }: Platform,
): Promise<string[]> {
  return architecture === 'arm64'
    ? [await arm64Emulator(), '-L', root]
    : [join(root, linker), '--library-path', join(root, 'lib', triplet)];
}

async function start(root: string, launch: readonly string[], flag: string): Promise<string> {
  const program = containerSettings.entrypoint.map((part) =>
    part.startsWith('/') ? join(root, part) : part,
  );
  return run([...launch, ...program, flag], {
    cwd: root,
    env: { ...containerSettings.environment },
  });
}

/**
 * Starts the operator of an image with `--version` and `--help`. If this machine can get no emulator for arm64, it says
 * so and tests nothing.
 * @throws Error if the operator does not start, or reports another version
 */
export async function smokeRun(
  platform: Platform,
  layers: readonly Layer[],
  version: string,
  progress: Progress,
): Promise<void> {
  const name = `smoke run linux/${platform.architecture}`;
  const root = await mkdtemp(join(tmpdir(), 'release-root-'));
  try {
    const launch = await launcher(root, platform).catch((error: unknown) => String(error));
    if (typeof launch === 'string') {
      progress.note(`${name} skipped: no emulator (${launch})`);
      return;
    }
    await progress.step(name, async () => {
      for (const { file } of layers) await run(['tar', '-xzf', file, '-C', root]);
      const reported = await start(root, launch, '--version');
      if (reported.trim() !== version)
        throw new Error(`${name}: --version printed ${reported.trim()} instead of ${version}`);
      if (!(await start(root, launch, '--help')).includes('--leader-elect'))
        throw new Error(`${name}: --help does not list --leader-elect`);
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
