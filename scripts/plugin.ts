/** Builds the kubectl plugin: `npm run plugin [-- DIRECTORY]`. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { PLUGIN_FILE } from './plugin/bundle.ts';
import { writePlugin } from './plugin/package.ts';

const [directory = 'dist/plugin', ...rest] = process.argv.slice(2);
if (rest.length > 0 || directory.startsWith('-')) {
  process.stderr.write('usage: npm run plugin [-- DIRECTORY]\n');
  process.exitCode = 2;
} else {
  try {
    // npm runs scripts in the project folder. The path is relative to the folder of the user.
    const target = resolve(process.env['INIT_CWD'] ?? process.cwd(), directory);
    const { folders } = await writePlugin(checkout, target);
    for (const path of folders.map((folder) => join(folder, PLUGIN_FILE))) {
      const { size } = await stat(path);
      process.stdout.write(`${path} (${(size / 1e6).toFixed(1)} MB)\n`);
    }
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
