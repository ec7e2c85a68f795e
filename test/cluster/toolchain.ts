import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { attempt } from './command.ts';
import { Failure } from './failure.ts';

/** Oldest Go that builds every module below `go/`: the `go` line of the newest Karmada module. */
export const requiredGo = '1.25.7';

const gibibyte = 2 ** 30;

/** Orders dotted version numbers: negative when `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Version in the output of `go version` (`1.26.8`), or undefined when there is none. */
export function parseGoVersion(output: string): string | undefined {
  return /\bgo(\d+\.\d+(?:\.\d+)?)/.exec(output)?.[1];
}

/**
 * Checks that `go` can be run and is new enough.
 * @returns its version, such as `1.26.8`
 * @throws Failure that names the version found and the one needed
 */
export async function goVersion(): Promise<string> {
  const remedy = `install Go ${requiredGo} or newer and put it on PATH`;
  const result = await attempt(['go', 'version'], { env: goEnvironment() });
  if (result.code === 127) throw new Failure('Go is not installed', remedy);
  const version = parseGoVersion(result.stdout);
  if (version === undefined) throw new Failure('go version cannot be read', remedy);
  if (compareVersions(version, requiredGo) < 0) {
    throw new Failure(`Go ${version} is too old`, remedy);
  }
  return version;
}

/** Environment of every go command: the user's proxy and checksum settings stay, what changes a build is set. */
export function goEnvironment(): Record<string, string | undefined> {
  return {
    GOFLAGS: undefined,
    GOWORK: 'off',
    GO111MODULE: 'on',
    GOTOOLCHAIN: 'local',
    GOOS: 'linux',
    GOARCH: 'amd64',
    CGO_ENABLED: '0',
  };
}

/** A place on a disk: a directory that need not exist yet, and what else than freeing space helps when it is full. */
export interface DiskPlace {
  directory: string;
  alternative?: string;
}

/**
 * Checks that the file system of a place has room, without making anything.
 * @param needed GiB
 * @throws Failure that names the place and what it lacks
 */
export async function requireDisk(place: DiskPlace, needed: number, why: string): Promise<void> {
  let directory = place.directory;
  while (!existsSync(directory)) directory = dirname(directory);
  const { bavail, bsize } = await statfs(directory);
  const free = (bavail * bsize) / gibibyte;
  if (free >= needed) return;
  throw new Failure(
    `${directory} has ${free.toFixed(1)} GiB free, ${why} needs ${String(needed)} GiB`,
    ['free some space', place.alternative].filter(Boolean).join(', or '),
  );
}
