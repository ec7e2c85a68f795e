import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { run } from '../../test/cluster/command.ts';
import { digest } from '../../test/cluster/paths.ts';
import { toolInputs } from './suites.ts';

/** Folders of what is installed in clusters. */
const PRODUCT = ['src', 'crds', 'charts', 'config', 'package-lock.json'];

const isTest = (path: string): boolean => /\.test\.ts$|__fixtures__|__golden__/.test(path);

/** Tracked and new files of the checkout below these paths, sorted. */
async function filesBelow(root: string, paths: readonly string[]): Promise<string[]> {
  const list = ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths];
  const files = (await run(list, { cwd: root })).split('\n').filter(Boolean);
  return files.filter((file) => existsSync(join(root, file))).sort();
}

/** Files of the checkout that each of these modules imports, itself among them. */
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
    // Nothing is run: only who imports whom counts.
    supported: { 'top-level-await': true },
  });
  return new Map(
    Object.values(metafile.outputs).flatMap(({ entryPoint, inputs }) =>
      entryPoint === undefined ? [] : [[entryPoint, Object.keys(inputs).sort()] as const],
    ),
  );
}

/**
 * Digests of what each test file depends on. Of a suite about the operator: all that is installed in clusters, and the
 * harness that the suite imports. Of a suite about the tools: those tools, without the operator. Of a unit test: what
 * it imports.
 * @param files test files, relative to the root
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
