import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { run } from '../../test/embedded-cluster/command.ts';
import { digest } from '../../test/embedded-cluster/paths.ts';
import { toolInputs } from './suites.ts';

/** Folders of the files that are installed in clusters. */
const PRODUCT = ['src', 'crds', 'charts', 'config', 'package-lock.json'];

const isTest = (path: string): boolean => /\.test\.ts$|__fixtures__|__golden__/.test(path);

/** Returns the tracked and new files of the checkout below these paths, sorted. */
async function filesBelow(root: string, paths: readonly string[]): Promise<string[]> {
  const list = ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths];
  const files = (await run(list, { cwd: root })).split('\n').filter(Boolean);
  return files.filter((file) => existsSync(join(root, file))).sort();
}

/** Returns the files of the checkout that each module imports, including the module itself. */
async function importsOf(
  root: string,
  entries: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries],
    outdir: 'unwritten',
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    metafile: true,
    logLevel: 'error',
    // The bundle never runs. Only its import graph is used.
    supported: { 'top-level-await': true },
  });
  return new Map(
    Object.values(metafile.outputs).flatMap(({ entryPoint, inputs }) =>
      entryPoint === undefined ? [] : [[entryPoint, Object.keys(inputs).sort()] as const],
    ),
  );
}

/**
 * Computes a digest of the inputs of each test file. The inputs of an operator suite are all files that are installed
 * in clusters, and the imported harness. The inputs of a tool suite are the tools, without the operator. The inputs of
 * a unit test are its imports.
 * @param files test files, relative to the root
 * @returns digest by test file
 */
export async function inputKeys(
  root: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const programs = files.flatMap((file) => toolInputs(file) ?? []).filter(isModule);
  const imports = await importsOf(root, [...new Set([...files, ...programs])]);
  const product = (await filesBelow(root, PRODUCT)).filter((file) => !isTest(file));
  const content = new Map<string, string>();
  const read = (file: string): string => {
    const known = content.get(file) ?? digest(readFileSync(join(root, file)));
    content.set(file, known);
    return known;
  };
  const key = (paths: Iterable<string>): string =>
    digest(...[...new Set(paths)].sort().flatMap((path) => [path, read(path)]));
  const productKey = key(product);
  return new Map(
    files.map((file) => {
      const own = imports.get(file) ?? [file];
      if (file.startsWith('src/') || file.startsWith('scripts/')) return [file, key(own)];
      const further = toolInputs(file);
      if (further === undefined) return [file, digest(productKey, key(own))];
      const all = [...own, ...further, ...further.flatMap((path) => imports.get(path) ?? [])];
      return [file, key(all.filter((path) => !path.startsWith('src/')))];
    }),
  );
}

const isModule = (path: string): boolean => path.endsWith('.ts');
