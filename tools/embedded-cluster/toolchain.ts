import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { attempt } from './command.ts';
import { Failure } from './failure.ts';

/** Minimum Go version for all modules below `go/`: the `go` directive of the newest Karmada module. */
export const requiredGo = '1.25.10';

const gibibyte = 2 ** 30;

/** Compares dotted version numbers; negative if `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Parses the version in the output of `go version` (`1.26.8`); undefined if there is none. */
export function parseGoVersion(output: string): string | undefined {
  return /\bgo(\d+\.\d+(?:\.\d+)?)/.exec(output)?.[1];
}

/**
 * Checks that `go` is installed and new enough.
 * @returns the version, such as `1.26.8`
 * @throws Failure that names the found and the required version
 */
export async function goVersion(): Promise<string> {
  const remedy = `install Go ${requiredGo} or newer and put it on PATH`;
  const result = await attempt(['go', 'version'], { env: goEnvironment() });
  if (result.code === 127) throw new Failure('Go is not installed', remedy);
  const version = parseGoVersion(result.stdout);
  if (version === undefined) throw new Failure('cannot parse the output of go version', remedy);
  if (compareVersions(version, requiredGo) < 0) {
    throw new Failure(`Go ${version} is too old`, remedy);
  }
  return version;
}

/** Returns the environment for go commands: fixed build settings; the user's proxy and checksum settings stay. */
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

/** A directory, which may not exist yet, and an alternative action for the error message when its disk is full. */
export interface DiskPlace {
  directory: string;
  alternative?: string;
}

/**
 * Checks the free space of the file system of a directory, without creating the directory.
 * @param needed required space in GiB
 * @throws Failure that names the directory, its free space and the required space
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
