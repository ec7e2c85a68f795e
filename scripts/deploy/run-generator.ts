import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { stale } from './generate.ts';

type Files = Readonly<Record<string, string>>;

/**
 * Writes generated files. With the argument `--check`, writes nothing, and fails if a file is out of date.
 * @param command name of the program in messages
 * @param sources generate files by path, one after the other: later ones may depend on what earlier ones wrote
 */
export async function runGenerator(
  command: string,
  sources: readonly (() => Promise<Files>)[],
): Promise<void> {
  const [option, ...rest] = process.argv.slice(2);
  if (rest.length > 0 || (option !== undefined && option !== '--check')) {
    process.stderr.write(`usage: ${command} [--check]\n`);
    process.exitCode = 2;
    return;
  }
  try {
    for (const generate of sources) await (option ? check : write)(await generate(), command);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function write(files: Files): Promise<void> {
  for (const path of await stale(files)) {
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await writeFile(join(checkout, path), files[path] ?? '');
    process.stdout.write(`wrote ${path}\n`);
  }
}

async function check(files: Files, command: string): Promise<void> {
  const old = await stale(files);
  if (old.length > 0) throw new Error(`${old.join(', ')} out of date: run \`${command}\``);
}
