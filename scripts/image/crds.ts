import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

/** Returns the URL of the CRD archive of a release. The path in the operator's cache is derived from it. */
export const archiveUrl = (version: string): string =>
  `https://github.com/karmada-io/karmada/releases/download/${version}/crds.tar.gz`;

/** Returns the folder of an archive below the operator's data directory, from the URL of the archive. */
export const archiveFolder = (url: string): string =>
  join('cache', createHash('sha256').update(url.trim()).digest('hex'));

/** Returns the files below a directory as relative paths, sorted, with every directory before its files. */
async function walk(directory: string, prefix = ''): Promise<string[]> {
  const entries = await readdir(join(directory, prefix), { withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(prefix, entry.name);
    if (entry.isDirectory()) paths.push(`${path}/`, ...(await walk(directory, path)));
    else paths.push(path);
  }
  return paths;
}

/**
 * Packs a directory of Karmada CRDs (with `bases` and `patches`) in the layout of the release archive: below
 * `crds/`, directories before their files. Equal input results in equal bytes.
 */
export async function packCrds(source: string, file: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true });
  const tar = pack();
  const partial = `${file}.partial`;
  const written = pipeline(tar, createGzip({ level: 9 }), createWriteStream(partial));
  const mtime = new Date(0);
  tar.entry({ name: 'crds/', type: 'directory', mode: 0o755, mtime });
  for (const path of await walk(source)) {
    if (path.endsWith('/'))
      tar.entry({ name: `crds/${path}`, type: 'directory', mode: 0o755, mtime });
    else
      tar.entry({ name: `crds/${path}`, mode: 0o644, mtime }, await readFile(join(source, path)));
  }
  tar.finalize();
  await written;
  await rename(partial, file);
}
