/** Builds an e2e suite of the Karmada module as a test binary. Nothing of the module is in this repository. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { karmadaModule } from '../../scripts/image/karmada-module.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { lock } from '../../tools/embedded-cluster/lock.ts';
import { cacheDirectory, digest } from '../../tools/embedded-cluster/paths.ts';
import { goEnvironment, goVersion, requireDisk } from '../../tools/embedded-cluster/toolchain.ts';
import { altered, type PeerSuite } from './suites/suite.ts';

/** Programs for every suite. karmadactl of the embedded cluster prints errors differently, because it is part of another one. */
const COMMON = { ginkgo: 'github.com/onsi/ginkgo/v2/ginkgo', karmadactl: './cmd/karmadactl' };

/** Paths of the programs of a suite. */
export interface BuiltSuite {
  /** The test binary. */
  readonly binary: string;
  /** The command of Ginkgo, which runs the test binary in several processes. */
  readonly ginkgo: string;
  /** karmadactl and the further programs of the suite are in this folder. */
  readonly folder: string;
}

/**
 * Builds a suite of a Karmada release with its alterations. The cache keeps the result.
 * @throws Failure without Go or disk space; Error if an alteration does not fit
 */
export async function buildSuite(release: string, suite: PeerSuite): Promise<BuiltSuite> {
  const { name, alterations } = suite;
  const programs = { ...COMMON, ...suite.programs };
  const content = JSON.stringify([suite.package, alterations, programs]);
  const inputs = digest(await goVersion(), release, content);
  const folder = join(cacheDirectory(), 'peer', `${name}-${release}-${inputs}`);
  const built = { folder, binary: join(folder, `${name}.test`), ginkgo: join(folder, 'ginkgo') };
  const held = await lock(`peer:${folder}`, () => undefined);
  try {
    if (existsSync(folder)) return built;
    const partial = `${folder}.partial`;
    await mkdir(partial, { recursive: true });
    await requireDisk({ directory: partial }, 6, 'building a suite of Karmada');
    const source = `${folder}.source`;
    await copyModule(release, suite, source);
    await compile(source, suite, partial);
    await rm(source, { recursive: true, force: true });
    await rename(partial, folder);
    return built;
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

async function compile(source: string, suite: PeerSuite, folder: string): Promise<void> {
  const flags = ['-trimpath', '-buildvcs=false', '-mod=readonly', '-ldflags=-s -w'];
  const own = process.env['GOCACHE'];
  const cache = own === undefined || own === '' ? join(cacheDirectory(), 'go-build') : own;
  const go = (command: readonly string[], name: string, target: string): Promise<string> =>
    run(['go', ...command, ...flags, '-o', join(folder, name), target], {
      cwd: source,
      env: { ...goEnvironment(), GOCACHE: cache },
    });
  const programs = { ...COMMON, ...suite.programs };
  await go(['test', '-c'], `${suite.name}.test`, suite.package);
  for (const [name, target] of Object.entries(programs)) await go(['build'], name, target);
  if (cache !== own) await rm(cache, { recursive: true, force: true });
}
