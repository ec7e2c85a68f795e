/** Builds an e2e suite of the Karmada module as a test binary. Nothing of the module is in this repository. */
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { karmadaModule } from '../../scripts/image/karmada-module.ts';
import { run } from '../embedded-cluster/command.ts';
import { lock } from '../embedded-cluster/lock.ts';
import { cacheDirectory, digest } from '../embedded-cluster/paths.ts';
import { goEnvironment, goVersion, requireDisk } from '../embedded-cluster/toolchain.ts';
import { altered, type PeerSuite } from './alterations.ts';

/**
 * Builds a suite of a Karmada release with its alterations. The cache keeps the result.
 * @returns path of the test binary
 * @throws Failure without Go or disk space; Error if an alteration does not fit
 */
export async function buildSuite(release: string, suite: PeerSuite): Promise<string> {
  const inputs = [await goVersion(), release, suite.package, JSON.stringify(suite.alterations)];
  const folder = join(cacheDirectory(), 'peer');
  const file = join(folder, `${suite.name}-${release}-${digest(...inputs)}.test`);
  const held = await lock(`peer:${file}`, () => undefined);
  try {
    if (existsSync(file)) return file;
    await mkdir(folder, { recursive: true });
    await requireDisk({ directory: folder }, 6, 'building a suite of Karmada');
    const source = `${file}.source`;
    await copyModule(release, suite, source);
    await compile(source, suite.package, file);
    await rm(source, { recursive: true, force: true });
    return file;
  } finally {
    held.release();
  }
}

/** Go rejects overlays of files in its module cache, so the suite is built from a copy. */
async function copyModule(release: string, suite: PeerSuite, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await cp(await karmadaModule(release), target, { recursive: true });
  await run(['chmod', '-R', 'u+w', target]);
  for (const name of new Set(suite.alterations.map(({ file }) => file))) {
    const path = join(target, name);
    const own = suite.alterations.filter(({ file }) => file === name);
    await writeFile(path, altered(await readFile(path, 'utf8'), own));
  }
}

async function compile(source: string, suitePackage: string, file: string): Promise<void> {
  const partial = `${file}.partial`;
  const flags = ['-trimpath', '-buildvcs=false', '-mod=readonly', '-ldflags=-s -w'];
  const own = process.env['GOCACHE'];
  const cache = own === undefined || own === '' ? join(cacheDirectory(), 'go-build') : own;
  await run(['go', 'test', '-c', ...flags, '-o', partial, suitePackage], {
    cwd: source,
    env: { ...goEnvironment(), GOCACHE: cache },
  });
  if (cache !== own) await rm(cache, { recursive: true, force: true });
  await chmod(partial, 0o755);
  await rename(partial, file);
}
