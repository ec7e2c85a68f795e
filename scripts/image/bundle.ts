import { readdirSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build, type Metafile, type OutputFile } from 'esbuild';
import { load } from 'js-yaml';
import { readPackage } from '../package-file.ts';

/** Defines `require` for CommonJS packages inside the bundle, because an ES module does not have it. */
const banner =
  "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

/** A package of npm whose code is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression of its `package.json`. */
  readonly license: string | undefined;
  /** Text of its license file; empty without one. */
  readonly text: string;
}

/** Returns the folders of the packages in a bundle, from the paths of its inputs. */
export function packageFolders(inputs: readonly string[]): string[] {
  const folders = inputs.flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].sort();
}

/**
 * Returns the packages in a bundle.
 * @param root top directory of the checkout
 */
export async function bundledPackages(root: string, metafile: Metafile): Promise<BundledPackage[]> {
  const found: BundledPackage[] = [];
  for (const folder of packageFolders(Object.keys(metafile.inputs))) {
    const directory = join(root, folder);
    const { name, version, license } = await readPackage(directory);
    const file = readdirSync(directory).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file === undefined ? '' : await readFile(join(directory, file), 'utf8');
    found.push({ name, version, license, text });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Returns the license texts of the parts of a program, because the licenses require copies of their texts. */
export function licenseTexts(parts: readonly BundledPackage[]): string {
  const texts = parts.map(
    ({ name, version, license, text }) =>
      `${name} ${version} (${license ?? 'see text'})\n\n${text.trim()}\n`,
  );
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Folder of the component templates, next to the bundle. */
export const templatesFolder = 'templates';

/** Returns the paths of all templates below `src/components`, sorted. */
export async function templateFiles(root: string): Promise<string[]> {
  const paths = await readdir(join(root, 'src/components'), { recursive: true });
  return paths.filter((path) => path.endsWith('.hbs')).sort();
}

/** Writes the files of a bundle for `outdir` into another directory. */
async function writeOutputs(
  files: readonly OutputFile[],
  outdir: string,
  directory: string,
): Promise<void> {
  for (const { path, contents } of files) {
    const file = join(directory, relative(outdir, path));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
}

/**
 * Bundles the operator into `<directory>/operator.mjs` with source map, templates and licenses of the bundled packages.
 * @param root top directory of the checkout
 * @returns the bundled packages
 */
export async function bundleOperator(
  root: string,
  directory: string,
  version: string,
): Promise<readonly BundledPackage[]> {
  // The source map has paths relative to this folder, so they do not depend on the machine.
  const outdir = join(root, 'dist/operator');
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir,
    write: false,
    entryNames: 'operator',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Code splitting: modules for single flags, such as --kubeconfig, are loaded only when used.
    splitting: true,
    platform: 'node',
    target: 'node26',
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    // Short names would need the option `keepNames` for stack traces. It gives each closure a property, which V8 keeps in a hash table
    // of 256 bytes: in a process with many waiting closures that is more than the longer names.
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    banner: { js: banner },
    define: { OPERATOR_VERSION: JSON.stringify(version) },
  });
  await writeOutputs(outputFiles, outdir, directory);
  const components = join(root, 'src/components');
  for (const path of await templateFiles(root)) {
    await cp(join(components, path), join(directory, templatesFolder, path));
  }
  // The operator compares this CRD with the one in the cluster.
  const crd = await readFile(join(root, 'crds/operator.karmada.io_karmadas.yaml'), 'utf8');
  await writeFile(join(directory, 'crd.json'), JSON.stringify(load(crd)));
  const packages = await bundledPackages(root, metafile);
  await writeFile(join(directory, 'THIRD-PARTY-LICENCES.txt'), licenseTexts(packages));
  return packages;
}
