/** Shared libraries of the image, from packages of the Debian release of this machine. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { aptOptions } from '../../tools/embedded-cluster/apt.ts';
import { attempt, run } from '../../tools/embedded-cluster/command.ts';
import { Failure } from '../../tools/embedded-cluster/failure.ts';
import { cacheDirectory, digest } from '../../tools/embedded-cluster/paths.ts';
import type { LayerEntry } from '../image/archive.ts';
import { LIBRARIES, type Platform } from './platforms.ts';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** SHA-256 of the package in hex, from the signed index of the package source. */
  readonly sha256: string;
}

/** A Debian package whose files are in the image. */
export interface DebianPart extends DebianPackage {
  /** Content of its copyright file. */
  readonly text: string;
}

export interface DebianLibraries {
  readonly packages: readonly DebianPart[];
  /** Libraries, the dynamic linker and the copyright files. */
  readonly entries: readonly LayerEntry[];
}

/** Packages with the libraries. */
const PACKAGES = ['libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];

/** Parses the output of `apt-cache show`. */
export function parsePackages(output: string): DebianPackage[] {
  return output.split('\n\n').flatMap((paragraph) => {
    const field = (name: string): string =>
      new RegExp(`^${name}: (.+)$`, 'm').exec(paragraph)?.[1] ?? '';
    const name = field('Package');
    const [version, architecture, sha256] = ['Version', 'Architecture', 'SHA256'].map(field);
    return name === '' || !version || !architecture || !sha256
      ? []
      : [{ name, version, architecture, sha256 }];
  });
}

/** Returns the package with the copyright file of the GCC libraries, which depend on it. */
export const gccBase = (output: string): string | undefined => /\bgcc-\d+-base\b/.exec(output)?.[0];

/**
 * Uses package lists that are independent of those of this machine.
 * @param architecture architecture of the packages; that of the machine by default
 * @throws Failure if the package source cannot be used
 */
async function withApt<T>(
  architecture: string | undefined,
  use: (apt: readonly string[], work: string) => Promise<T>,
): Promise<T> {
  const work = await mkdtemp(join(tmpdir(), 'debian-'));
  try {
    const apt = await aptOptions(work, architecture);
    const { code, stderr } = await attempt(['apt-get', ...apt, 'update']);
    const remedy = 'build the release on Debian, with access to its package source';
    if (code !== 0) throw new Failure(`apt-get update: ${stderr.trim()}`, remedy);
    return await use(apt, work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function show(apt: readonly string[], names: readonly string[]): Promise<string> {
  return run(['apt-cache', ...apt, 'show', '--no-all-versions', ...names]);
}

/** Downloads packages and unpacks them into `target`. apt verifies them with the signed index. */
async function unpack(
  apt: readonly string[],
  packages: readonly DebianPackage[],
  target: string,
): Promise<void> {
  await mkdir(join(target, '..'), { recursive: true });
  const work = await mkdtemp(`${target}.partial-`);
  try {
    for (const folder of ['debs', 'root']) await mkdir(join(work, folder));
    const debs = join(work, 'debs');
    const exact = packages.map(({ name, version }) => `${name}=${version}`);
    await run(['apt-get', ...apt, 'download', ...exact], { cwd: debs });
    for (const file of await readdir(debs))
      await run(['dpkg-deb', '--extract', join(debs, file), join(work, 'root')]);
    await rename(join(work, 'root'), target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Returns the cached folder with the content of packages. */
async function unpacked(
  apt: readonly string[],
  packages: readonly DebianPackage[],
): Promise<string> {
  const folder = join(cacheDirectory(), 'debian', digest(JSON.stringify(packages)));
  if (!existsSync(folder)) await unpack(apt, packages, folder);
  return folder;
}

/** Returns the current shared libraries of a platform with their packages. */
export function debianLibraries(platform: Platform): Promise<DebianLibraries> {
  return withApt(platform.architecture, async (apt) => {
    const libraries = await show(apt, PACKAGES);
    const base = gccBase(libraries);
    const all = `${libraries}\n\n${base === undefined ? '' : await show(apt, [base])}`;
    const packages = parsePackages(all).sort((a, b) => (a.name < b.name ? -1 : 1));
    const root = await unpacked(apt, packages);
    const notices = packages.map(({ name }) => `usr/share/doc/${name}/copyright`);
    const parts = packages.map(async (one, index) => ({
      ...one,
      text: await readFile(join(root, notices[index] ?? ''), 'utf8'),
    }));
    const files = notices.map((path) => ({ path, file: join(root, path) }));
    return {
      packages: await Promise.all(parts),
      entries: [...libraryEntries(root, platform), ...files],
    };
  });
}

function libraryEntries(root: string, { triplet, linker }: Platform): LayerEntry[] {
  const find = (name: string): string => {
    const paths = ['lib', 'usr/lib'].map((folder) => join(root, folder, triplet, name));
    const found = paths.find((path) => existsSync(path));
    if (found === undefined) throw new Error(`${PACKAGES.join(', ')}: no ${name} for ${triplet}`);
    return found;
  };
  return [
    ...LIBRARIES.map((name) => ({
      path: join('lib', triplet, name),
      file: find(name),
      mode: 0o755,
    })),
    { path: linker, file: find(basename(linker)), mode: 0o755 },
  ];
}

/**
 * Returns a program that runs arm64 programs: that of this machine, or the one of Debian in the build cache.
 * @throws Failure if there is none
 */
export async function arm64Emulator(): Promise<string> {
  const own = await attempt([
    'sh',
    '-c',
    'command -v qemu-aarch64-static || command -v qemu-aarch64',
  ]);
  if (own.code === 0) return own.stdout.trim();
  return withApt(undefined, async (apt) => {
    const packages = parsePackages(await show(apt, ['qemu-user-static']));
    const program = join(await unpacked(apt, packages), 'usr/bin/qemu-aarch64-static');
    if (!existsSync(program))
      throw new Failure('qemu-user-static has no qemu-aarch64-static', 'install qemu-user');
    return program;
  });
}
