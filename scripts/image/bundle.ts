import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { load } from 'js-yaml';

/** Defines `require` for CommonJS packages inside the bundle, because an ES module does not have it. */
const banner =
  "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

/** Returns the names of the packages in a bundle, from the paths of its inputs. */
export function bundledPackages(inputs: readonly string[]): string[] {
  const names = inputs.flatMap((path) => {
    const match = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    return match?.[1] ?? [];
  });
  return [...new Set(names)].sort();
}

/** Returns the license texts of the bundled packages, because the licenses require copies of their texts. */
export async function licenses(root: string, metafile: Metafile): Promise<string> {
  const parts: string[] = [];
  for (const name of bundledPackages(Object.keys(metafile.inputs))) {
    const directory = join(root, 'node_modules', name);
    if (!existsSync(directory)) continue;
    const { version, license } = JSON.parse(
      await readFile(join(directory, 'package.json'), 'utf8'),
    ) as {
      version: string;
      license?: string;
    };
    const file = readdirSync(directory).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file === undefined ? '' : await readFile(join(directory, file), 'utf8');
    parts.push(`${name} ${version} (${license ?? 'see text'})\n\n${text.trim()}\n`);
  }
  return parts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Folder of the component templates, next to the bundle. */
export const templatesFolder = 'templates';

/** Returns the paths of all templates below `src/components`, sorted. */
export async function templateFiles(root: string): Promise<string[]> {
  const paths = await readdir(join(root, 'src/components'), { recursive: true });
  return paths.filter((path) => path.endsWith('.hbs')).sort();
}

/**
 * Bundles the operator into `<directory>/operator.mjs` with source map, templates and licenses of the bundled packages.
 * @param root top directory of the checkout
 */
export async function bundleOperator(
  root: string,
  directory: string,
  version: string,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir: directory,
    entryNames: 'operator',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Code splitting: modules for single flags, such as --kubeconfig, are loaded only when used.
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    banner: { js: banner },
    define: { OPERATOR_VERSION: JSON.stringify(version) },
  });
  const components = join(root, 'src/components');
  for (const path of await templateFiles(root)) {
    await cp(join(components, path), join(directory, templatesFolder, path));
  }
  // The operator compares this CRD with the one in the cluster.
  const crd = await readFile(join(root, 'crds/operator.karmada.io_karmadas.yaml'), 'utf8');
  await writeFile(join(directory, 'crd.json'), JSON.stringify(load(crd)));
  await writeFile(join(directory, 'THIRD-PARTY-LICENCES.txt'), await licenses(root, metafile));
}
