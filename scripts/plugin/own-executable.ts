/** Builds the kubectl plugin as an executable for the computer that runs the build. Runs without installed packages. */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PROGRAM = 'kubectl-karmada_operator';
const COMPLETION = 'kubectl_complete-karmada_operator';
const LICENSES: readonly string[] = ['LICENSE', 'THIRD-PARTY-LICENCES.txt'];

/** Processors in the terms of Go, by their names in Node.js. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** Operating systems in the terms of Go, by their names in Node.js. */
const SYSTEMS: Readonly<Record<string, string>> = {
  darwin: 'darwin',
  linux: 'linux',
  win32: 'windows',
};

/** What the build needs to know about its computer; fields of `process`. */
interface Computer {
  readonly platform: string;
  readonly arch: string;
  /** Version of Node.js, such as `v26.12.1`. */
  readonly version: string;
}

/**
 * Returns the platform of a computer in the terms of Go, such as `darwin-arm64`.
 * @param locked version of Node.js that the executables contain
 * @throws Error for a platform or a version of Node.js that the build does not support
 */
export function platformOf({ platform, arch, version }: Computer, locked: string): string {
  const [system, architecture] = [SYSTEMS[platform], ARCHITECTURES[arch]];
  if (system === undefined || architecture === undefined)
    throw new Error(`${platform}-${arch}: no executable for this platform`);
  // An executable contains the Node.js that builds it, and a release only one with the known fixes.
  if (version !== `v${locked}`)
    throw new Error(`this is Node.js ${version}: the executable needs ${locked}`);
  return `${system}-${architecture}`;
}

/** Files of an executable for a system, and the command that signs it. */
interface SystemFiles {
  readonly program: string;
  /** Further files of the package that the system can use. */
  readonly others: readonly string[];
  /** Command without the file; macOS starts only signed programs on arm64. */
  readonly sign?: readonly [string, ...string[]];
}

/** @param platform as `platformOf` returns it */
export function filesFor(platform: string): SystemFiles {
  if (platform.startsWith('windows-')) return { program: `${PROGRAM}.exe`, others: LICENSES };
  const files = { program: PROGRAM, others: [...LICENSES, COMPLETION] };
  return platform.startsWith('darwin-')
    ? { ...files, sign: ['codesign', '--sign', '-', '--force'] }
    : files;
}

/**
 * Builds the executable with the Node.js that runs this function, and starts it once.
 * @param folder unpacked package of npm with the plugin
 * @param target folder for the executable and the files next to it
 * @param platform as `platformOf` returns it
 * @returns output of the command `version --client`
 */
export async function buildOwnExecutable(
  folder: string,
  target: string,
  platform: string,
): Promise<string> {
  const { program, others, sign } = filesFor(platform);
  const work = await mkdtemp(join(tmpdir(), 'karmada-plugin-'));
  try {
    const source = await readFile(join(folder, PROGRAM), 'utf8');
    // Node.js wraps the source in a function, where the line for the shell is a syntax error.
    await writeFile(join(work, 'plugin.cjs'), source.replace(/^#!.*\n/, ''));
    const settings = { main: 'plugin.cjs', output: program, disableExperimentalSEAWarning: true };
    await writeFile(join(work, 'sea.json'), JSON.stringify(settings));
    await run(process.execPath, ['--build-sea', 'sea.json'], { cwd: work });
    await chmod(join(work, program), 0o755);
    if (sign !== undefined) await run(sign[0], [...sign.slice(1), join(work, program)]);
    const { stdout } = await run(join(work, program), ['version', '--client']);
    await mkdir(target, { recursive: true });
    await cp(join(work, program), join(target, program));
    for (const name of others) await cp(join(folder, name), join(target, name));
    return stdout;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
