/**
 * Builds the documentation site in dist/site:
 *
 *     npm run site [-- --base /PATH/]
 *
 * The generator has its own packages in site/, so the operator does not depend on them.
 */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkout, digest } from '../tools/embedded-cluster/paths.ts';

const PACKAGES = join(checkout, 'site');
const OUTPUT = join(checkout, 'dist', 'site');

/** Installs the packages of the generator unless those of the lock file are installed. */
async function installGenerator(): Promise<void> {
  const stamp = join(PACKAGES, 'node_modules', '.installed');
  const lock = digest(await readFile(join(PACKAGES, 'package-lock.json'), 'utf8'));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  // npm would install into the project that its caller names here.
  const env = { ...process.env, npm_config_local_prefix: undefined };
  const npm = ['ci', '--ignore-scripts', '--loglevel=error'];
  const result = spawnSync('npm', npm, { cwd: PACKAGES, env, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) throw new Error('npm ci failed in site/: see its output above');
  await writeFile(stamp, lock);
}

/** Runs the generator. A warning is an error, so that a page that only half works is not published. */
function generate(base: string): void {
  const vitepress = join(PACKAGES, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  const options = ['build', PACKAGES, '--base', base, '--outDir', OUTPUT];
  const result = spawnSync(process.execPath, [vitepress, ...options], { encoding: 'utf8' });
  process.stdout.write(result.stdout);
  process.stderr.write(result.stderr);
  if (result.status !== 0) throw new Error('the generator failed: see its output above');
  if (/warn|\(!\)/i.test(result.stdout + result.stderr)) {
    throw new Error('the generator printed a warning: see its output above');
  }
}

try {
  const { values } = parseArgs({ options: { base: { type: 'string', default: '/' } } });
  await installGenerator();
  generate(values.base);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
