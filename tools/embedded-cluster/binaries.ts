import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { recordOf } from '../../src/kubernetes/objects/records.ts';
import { collectorSettings } from './collector.ts';
import { run } from './command.ts';
import { lock } from './lock.ts';
import { sources, type BinaryName, type BinarySource } from './binary-sources.ts';
import { cacheDirectory, checkout, digest } from './paths.ts';
import { requireLinuxOnX64 } from './platform.ts';
import { buildPlan, prefetch, type DownloadCommand } from './build-plan.ts';
import { createProgress, type Progress } from './progress.ts';
import { goEnvironment, goVersion, requireDisk } from './toolchain.ts';

export type { BinaryName } from './binary-sources.ts';

const moduleDirectory = (source: BinarySource): string =>
  join(checkout, 'tools', 'embedded-cluster', 'go', source.module);

/** Returns true for files of the module that affect the build. Module files of another release do not. */
function relevant(file: string, source: BinarySource): boolean {
  if (file.endsWith('.go')) return true;
  const stem = (source.modfile ?? 'go.mod').replace(/\.mod$/, '');
  return file === `${stem}.mod` || file === `${stem}.sum`;
}

/**
 * Computes the content key of a binary from all inputs of its build.
 * @param directory folder of the Go module
 * @param go version of the compiler
 */
export async function buildKey(
  source: BinarySource,
  directory: string,
  go: string,
): Promise<string> {
  const names = await readdir(directory, { recursive: true });
  const files = names.filter((file) => relevant(file, source)).sort();
  const contents = await Promise.all(files.map((file) => readFile(join(directory, file))));
  return digest(go, JSON.stringify(source), ...files, ...contents);
}

/** Returns the arguments of `go build` and `go list` that select the packages of a binary. */
function selection({ modfile, tags }: BinarySource): string[] {
  return [
    ...(modfile === undefined ? [] : [`-modfile=${modfile}`]),
    ...(tags === undefined ? [] : [`-tags=${tags}`]),
  ];
}

/** Returns the settings of the garbage collector of the compiler on this machine. */
const compilerCollector = (): Record<string, string> =>
  collectorSettings({
    memory: process.availableMemory(),
    processors: availableParallelism(),
    environment: process.env,
  });

async function build(source: BinarySource, output: string, goCache: string): Promise<void> {
  const values = Object.entries(source.values ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  const partial = `${output}.partial`;
  const ldflags = `-ldflags=${['-s', '-w', ...values].join(' ')}`;
  await run(
    [
      'go',
      'build',
      '-trimpath',
      '-buildvcs=false',
      // The linker removes debug information anyway (-s -w), so the compiler need not write it.
      '-gcflags=all=-dwarf=false',
      ...selection(source),
      ldflags,
      '-o',
      partial,
      source.package,
    ],
    {
      cwd: moduleDirectory(source),
      env: { ...goEnvironment(), ...compilerCollector(), GOCACHE: goCache },
    },
  );
  await chmod(partial, 0o755);
  await rename(partial, output);
}

/**
 * Returns the compiler cache. Our own cache grows to 11 GiB and saves little later, so it is deleted after the builds.
 * A cache that the user sets with GOCACHE is kept.
 */
function compilerCache(): { directory: string; keep: boolean } {
  const own = process.env['GOCACHE'];
  if (own !== undefined && own !== '') return { directory: own, keep: true };
  return { directory: join(cacheDirectory(), 'go-build'), keep: false };
}

/** Returns the command that downloads the modules of a binary: only those whose packages it needs. */
const listCommand = (source: BinarySource): DownloadCommand => ({
  command: ['go', 'list', '-deps', ...selection(source), '-f', '', source.package],
  directory: moduleDirectory(source),
});

/** Throws Failure if the disk of the cache has too little space to build `count` binaries. */
async function requireRoom(count: number): Promise<void> {
  const place = {
    directory: cacheDirectory(),
    alternative: 'point KARMADA_OPERATOR_CACHE to a larger disk',
  };
  await requireDisk(place, count > 2 ? 16 : 6, 'building from source');
}

async function buildMissing(
  missing: readonly { name: BinaryName; path: string }[],
  progress: Progress,
  signal?: AbortSignal,
): Promise<void> {
  const cache = cacheDirectory();
  await mkdir(join(cache, 'bin'), { recursive: true });
  const held = await lock(`binaries:${cache}`, () =>
    progress.note('waiting: another process builds the same binaries'),
  );
  try {
    const compiler = compilerCache();
    const waiting = missing.filter(({ path }) => !existsSync(path));
    await requireRoom(waiting.length);
    if (waiting.length > 0) progress.note(buildPlan(waiting.map(({ name }) => name)));
    const later = waiting.slice(1).map(({ name }) => listCommand(sources[name]));
    const downloads = prefetch(later, compiler.directory);
    try {
      for (const { name, path } of waiting) {
        signal?.throwIfAborted();
        await progress.step(`build ${name}`, () => build(sources[name], path, compiler.directory));
      }
    } finally {
      await downloads.stop();
    }
    if (!compiler.keep) await rm(compiler.directory, { recursive: true, force: true });
  } finally {
    held.release();
  }
}

/** Returns the cache path of each executable, whether it exists or not. */
async function locate<N extends BinaryName>(
  names: readonly N[],
): Promise<{ name: N; path: string }[]> {
  requireLinuxOnX64(`the program ${names.join(', ')}`);
  const go = await goVersion();
  return Promise.all(
    names.map(async (name) => {
      const source: BinarySource = sources[name];
      const key = await buildKey(source, moduleDirectory(source), go);
      return { name, path: join(cacheDirectory(), 'bin', `${name}-${key}`) };
    }),
  );
}

/** Returns the cache path of an executable, whether it exists or not. */
export async function binaryPath(name: BinaryName): Promise<string> {
  const [found] = await locate([name]);
  return found?.path ?? '';
}

/**
 * Checks the requirements to build the executables that are missing in the cache, before any build starts.
 * @throws Failure if Go or disk space is missing
 */
export async function checkBuild(names: readonly BinaryName[]): Promise<void> {
  const missing = (await locate(names)).filter(({ path }) => !existsSync(path));
  if (missing.length > 0) await requireRoom(missing.length);
}

/**
 * Returns the paths of the executables. Builds those that are missing in the cache, sequentially, because the compiler
 * uses all cores by itself.
 * @param signal no further build starts once it is aborted
 * @throws Failure if Go or disk space is missing
 */
export async function ensureBinaries<N extends BinaryName>(
  names: readonly N[],
  progress: Progress = createProgress(process.stderr),
  signal?: AbortSignal,
): Promise<Record<N, string>> {
  const paths = await locate(names);
  const missing = paths.filter(({ path }) => !existsSync(path));
  if (missing.length > 0) await buildMissing(missing, progress, signal);
  return recordOf(paths.map(({ name, path }) => [name, path] as const));
}
