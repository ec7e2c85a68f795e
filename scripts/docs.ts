/**
 * Writes the pages of docs/reference, the faults in docs/operate/troubleshoot.md, the certificates in docs/security.md, and docs/images. With `--check` it writes nothing and fails if a page is not up to date:
 *
 *     node scripts/run.mjs scripts/docs.ts [--check]
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { stale } from './deploy/generate.ts';
import { generatedPages } from './docs/pages.ts';

async function write(): Promise<void> {
  const files = await generatedPages();
  for (const path of await stale(files)) {
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await writeFile(join(checkout, path), files[path] ?? '');
    process.stdout.write(`wrote ${path}\n`);
  }
}

async function check(): Promise<void> {
  const old = await stale(await generatedPages());
  if (old.length > 0) throw new Error(`${old.join(', ')} not up to date: run \`npm run docs\``);
}

const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && option !== '--check')) {
  process.stderr.write('usage: npm run docs [-- --check]\n');
  process.exitCode = 2;
} else {
  try {
    await (option === '--check' ? check() : write());
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
