/**
 * Results of tests:
 *
 *     npm run results -- tree                  prints the digest of the files of this checkout
 *     npm run results -- merge FILE ...        merges results of one tree; prints the path of the merged file
 */
import { resolve } from 'node:path';
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { readResults, resultsFile, writeResults } from './test/results-file.ts';
import { mergeResults, type Results } from './test/results.ts';
import { treeDigest } from './test/tree.ts';

function read(file: string): Results {
  // npm runs scripts in the project folder. The path is relative to the folder of the user.
  const results = readResults(resolve(process.env['INIT_CWD'] ?? process.cwd(), file));
  if (results === undefined) throw new Error(`${file}: no such file`);
  return results;
}

function merge(files: readonly string[]): string {
  const merged = mergeResults(files.map(read));
  const file = resultsFile(checkout, merged.tree);
  writeResults(file, merged);
  return file;
}

const [command, ...files] = process.argv.slice(2);
try {
  if (command === 'tree' && files.length === 0)
    process.stdout.write(`${await treeDigest(checkout)}\n`);
  else if (command === 'merge' && files.length > 0) process.stdout.write(`${merge(files)}\n`);
  else throw new Error('usage: npm run results -- tree, or npm run results -- merge FILE ...');
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
