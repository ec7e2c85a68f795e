import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { generated, stale } from './deploy/generate.ts';
import { versionedFiles } from './release/version.ts';

const command = 'node scripts/run.mjs scripts/deploy.ts';

async function write(): Promise<void> {
  // The chart is rendered with its new version.
  for (const make of [versionedFiles, generated]) {
    const files = await make();
    for (const path of await stale(files)) {
      await writeFile(join(checkout, path), files[path] ?? '');
      process.stdout.write(`wrote ${path}\n`);
    }
  }
}

async function check(): Promise<void> {
  const old = await stale({ ...(await versionedFiles()), ...(await generated()) });
  if (old.length > 0) throw new Error(`${old.join(', ')} out of date: run \`${command}\``);
}

const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && option !== '--check')) {
  process.stderr.write(`usage: ${command} [--check]\n`);
  process.exitCode = 2;
} else {
  try {
    await (option === '--check' ? check() : write());
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
