/** Files of a release that users download: charts, plain YAML, and the kubectl plugin. */
import { globSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { createGzip } from 'node:zlib';
import { addEntries, writeTar, type LayerEntry } from '../image/archive.ts';
import { imageRepository } from '../image/operator.ts';
import { PLUGIN_FILE } from '../plugin/bundle.ts';
import { PLUGIN_PACKAGE, type Plugin } from '../plugin/package.ts';

/** What all files of a release have in common. */
export interface ReleaseIdentity {
  readonly version: string;
  /** Repository of the image, such as `registry.example.com/team/karmada-operator-ts`. */
  readonly repository: string;
  readonly commit: string;
  /** Time of the commit. */
  readonly time: Date;
}

/** Returns the files of a folder below `prefix`, with their modes. A link, such as that of a chart to a CRD, becomes the file it names. */
async function folderEntries(folder: string, prefix: string): Promise<LayerEntry[]> {
  const paths = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = paths
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const entries = files.map(async (file) => {
    const mode = ((await stat(file)).mode & 0o100) === 0 ? 0o644 : 0o755;
    return { path: join(prefix, relative(folder, file)), file, mode };
  });
  return Promise.all(entries);
}

const writeArchive = (file: string, entries: readonly LayerEntry[], time: Date): Promise<string> =>
  writeTar(file, (tar) => addEntries(tar, entries, time), createGzip({ level: 9 }));

const REPOSITORY = /^([a-z0-9.-]+(?::\d+)?)\/([a-z0-9._-]+(?:\/[a-z0-9._-]+)*)$/;

/**
 * Splits the repository of an image into registry and the rest.
 * @throws Error if it has another form
 */
export function splitRepository(repository: string): { registry: string; name: string } {
  const [, registry, name] = REPOSITORY.exec(repository) ?? [];
  if (registry === undefined || name === undefined)
    throw new Error(
      `--repository ${repository}: invalid; write REGISTRY/OWNER/NAME in lower case, without tag`,
    );
  return { registry, name };
}

/**
 * Returns the values of a chart with the repository of the image.
 * @throws Error if the values do not contain the default repository exactly once
 */
export function chartValues(values: string, repository: string): string {
  const lines = ({ registry, name }: { registry: string; name: string }): string =>
    `    registry: ${registry}\n    repository: ${name}\n`;
  const before = lines(splitRepository(imageRepository));
  const parts = values.split(before);
  if (parts.length !== 2) throw new Error(`values.yaml: expected once:\n${before}`);
  return parts.join(lines(splitRepository(repository)));
}

/** Writes all charts as archives for Helm. */
export async function writeCharts(
  root: string,
  directory: string,
  { version, repository, time }: ReleaseIdentity,
): Promise<void> {
  for (const chart of globSync('charts/*/Chart.yaml', { cwd: root }).sort()) {
    const folder = join(root, chart, '..');
    const name = basename(folder);
    const entries = (await folderEntries(folder, name)).filter(
      ({ path }) => !path.endsWith('.tgz'),
    );
    const values = join(folder, 'values.yaml');
    const isOperator = name === 'karmada-operator';
    const changed = isOperator ? chartValues(await readFile(values, 'utf8'), repository) : '';
    const all = entries.map((entry) =>
      isOperator && entry.path === `${name}/values.yaml`
        ? { path: entry.path, content: changed }
        : entry,
    );
    await writeArchive(join(directory, `${name}-${version}.tgz`), all, time);
  }
}

/** Joins files with Kubernetes objects into one. */
export const joinManifests = (texts: readonly string[]): string =>
  texts.map((text) => text.replace(/^---\n/, '').trimEnd()).join('\n---\n') + '\n';

/** Sources of the plain YAML files. */
const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  'install.yaml': ['crds/*.yaml', 'config/deploy/*.yaml'],
  'monitoring.yaml': ['config/monitoring/*.yaml'],
  'remote-host-rights.yaml': ['config/remote-host/*.yaml'],
  'karmada-sample.yaml': ['samples/karmada.yaml'],
};

/** Writes the plain YAML with the repository of the image. */
export async function writeManifests(
  root: string,
  directory: string,
  { version, repository }: ReleaseIdentity,
): Promise<void> {
  for (const [name, patterns] of Object.entries(MANIFESTS)) {
    const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).sort());
    const sources = paths.filter((path) => basename(path) !== 'kustomization.yaml');
    const texts = await Promise.all(sources.map((path) => readFile(join(root, path), 'utf8')));
    const image = `${imageRepository}:${version}`;
    const text = joinManifests(texts).replaceAll(image, () => `${repository}:${version}`);
    await writeFile(join(directory, name), text);
  }
}

/** Name of the archive with the executable for a platform, such as `linux-amd64`. */
export const pluginArchive = (version: string, platform: string): string =>
  `${PLUGIN_FILE}-${version}-${platform}.tar.gz`;

/** Writes the plugin as archives: one for each platform, and one for npm. */
export async function writePluginArchives(
  { folders }: Pick<Plugin, 'folders'>,
  directory: string,
  { version, time }: Pick<ReleaseIdentity, 'version' | 'time'>,
): Promise<void> {
  for (const folder of folders) {
    const form = basename(folder);
    const isPackage = form === 'npm';
    const name = isPackage ? `${PLUGIN_PACKAGE}-${version}.tgz` : pluginArchive(version, form);
    // npm expects the folder `package`.
    const entries = await folderEntries(folder, isPackage ? 'package' : '');
    await writeArchive(join(directory, name), entries, time);
  }
}
