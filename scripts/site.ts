/**
 * Builds the documentation site in dist/site:
 *
 *     npm run site [-- --base /PATH/]
 *
 * The generator has its own packages in site/, so the operator does not depend on them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkout, digest } from '../tools/embedded-cluster/paths.ts';
import { siteOf, type Repository } from './site/pages.ts';

const PACKAGES = join(checkout, 'site');
const SOURCE = join(checkout, 'dist', 'site-source');
const OUTPUT = join(checkout, 'dist', 'site');

async function readRepository(): Promise<Repository> {
  const tracked = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', tracked, { cwd: checkout, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(checkout, file)));
  const pages = files
    .filter((file) => file.endsWith('.md'))
    .map(async (file) => [file, await readFile(join(checkout, file), 'utf8')] as const);
  const { description } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as {
    description: string;
  };
  return { pages: new Map(await Promise.all(pages)), files: new Set(files), description };
}

async function writeSource(): Promise<void> {
  await rm(SOURCE, { recursive: true, force: true });
  const site = siteOf(await readRepository());
  const place = async (path: string): Promise<string> => {
    await mkdir(dirname(join(SOURCE, path)), { recursive: true });
    return join(SOURCE, path);
  };
  for (const [path, text] of site.pages) await writeFile(await place(path), text);
  for (const [path, source] of site.files) {
    await copyFile(join(checkout, source), await place(join('public', path)));
  }
  await writeFile(await place('sidebar.json'), JSON.stringify(site.sidebar));
}

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
  await writeSource();
  generate(values.base);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
