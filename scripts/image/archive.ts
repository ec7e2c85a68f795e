import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Gzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';

/** One entry of the single layer of an image. Paths are relative; missing parent directories are created. */
export type LayerEntry =
  | { path: string; file: string; mode?: number; user?: number }
  | { path: string; content: string | Buffer; mode?: number; user?: number }
  | { path: string; link: string }
  | { path: string; directory: true; mode?: number; user?: number };

/** One image of an archive; all images of an archive share its layer. */
export interface ImageConfig {
  /** References such as `docker.io/library/busybox:1.36`. */
  tags: readonly string[];
  /** Architecture in the terms of Go; `amd64` by default. */
  architecture?: string;
  /** Time of the build in RFC 3339; 1970 by default. */
  created?: string;
  entrypoint?: readonly string[];
  command?: readonly string[];
  user?: string;
  environment?: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
}

type Header = Parameters<Pack['entry']>[0];

/** Fixed timestamps, so that equal contents result in equal archives. */
const epoch = new Date(0);
const epochText = '1970-01-01T00:00:00Z';

/** Returns the parent directories of the entries, each once, parents first. */
function parents(entries: readonly LayerEntry[]): string[] {
  const own = new Set(entries.filter((entry) => 'directory' in entry).map(({ path }) => path));
  const found = new Set<string>();
  for (const { path } of entries) {
    for (let up = dirname(path); up !== '.' && up !== '/'; up = dirname(up)) found.add(up);
  }
  return [...found].filter((path) => !own.has(path)).sort();
}

function header(entry: LayerEntry, mtime: Date): Header {
  const common = { name: entry.path, mtime };
  if ('link' in entry) return { ...common, type: 'symlink', linkname: entry.link, mode: 0o777 };
  const owner = { uid: entry.user ?? 0, gid: entry.user ?? 0 };
  if ('directory' in entry) {
    return { ...common, ...owner, type: 'directory', mode: entry.mode ?? 0o755 };
  }
  return { ...common, ...owner, type: 'file', mode: entry.mode ?? 0o644 };
}

async function addStream(tar: Pack, head: Header, source: Readable): Promise<void> {
  const entry = tar.entry(head);
  await pipeline(source, entry);
}

export async function addEntry(tar: Pack, entry: LayerEntry, mtime = epoch): Promise<void> {
  if ('file' in entry) {
    const { size } = await stat(entry.file);
    await addStream(tar, { ...header(entry, mtime), size }, createReadStream(entry.file));
  } else if ('content' in entry) {
    const content = Buffer.from(entry.content);
    const head = { ...header(entry, mtime), size: content.length };
    await addStream(tar, head, Readable.from([content]));
  } else {
    tar.entry(header(entry, mtime));
  }
}

/** Adds entries to a tar, each after its parent directories. */
export async function addEntries(
  tar: Pack,
  entries: readonly LayerEntry[],
  mtime = epoch,
): Promise<void> {
  for (const path of parents(entries)) await addEntry(tar, { path, directory: true }, mtime);
  for (const entry of entries) await addEntry(tar, entry, mtime);
}

/**
 * Writes a tar file with `fill`.
 * @param compression applied to the bytes of the file
 * @returns the SHA-256 of the uncompressed bytes in hex
 */
export async function writeTar(
  file: string,
  fill: (tar: Pack) => Promise<void>,
  compression?: Gzip,
): Promise<string> {
  const tar = pack();
  const hash = createHash('sha256');
  tar.on('data', (chunk: unknown) => hash.update(chunk as Buffer));
  const target = createWriteStream(file);
  const written =
    compression === undefined ? pipeline(tar, target) : pipeline(tar, compression, target);
  const filled = fill(tar).then(
    () => tar.finalize(),
    (error: unknown) => tar.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  await Promise.all([written, filled]);
  return hash.digest('hex');
}

/**
 * Returns the configuration of an image as JSON.
 * @param layers digests of the uncompressed layers, such as `sha256:<hex>`
 */
export function imageJson(image: ImageConfig, layers: readonly string[]): string {
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', ...image.environment };
  return JSON.stringify({
    architecture: image.architecture ?? 'amd64',
    os: 'linux',
    created: image.created ?? epochText,
    config: {
      Entrypoint: image.entrypoint,
      Cmd: image.command,
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      User: image.user ?? '',
      WorkingDir: '/',
      // Otherwise two images with the same entry point would have the same digest.
      Labels: { 'org.opencontainers.image.ref.name': image.tags[0] ?? '', ...image.labels },
    },
    rootfs: { type: 'layers', diff_ids: layers },
  });
}

/**
 * Writes a docker-archive (for `docker load` and `ctr images import`) with one layer that all images share.
 * Equal input results in equal bytes. The file gets its name only after it is complete and synced to disk.
 * @returns the digest of the layer, as `sha256:<hex>`
 */
export async function writeImageArchive(
  file: string,
  entries: readonly LayerEntry[],
  images: readonly ImageConfig[],
): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  const work = await mkdtemp(`${file}.partial-`);
  try {
    const layer = join(work, 'layer.tar');
    const layerDigest = await writeTar(layer, (tar) => addEntries(tar, entries));
    const archive = join(work, 'archive.tar');
    await writeTar(archive, (tar) => addImages(tar, images, { file: layer, digest: layerDigest }));
    const handle = await open(archive);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(archive, file);
    return `sha256:${layerDigest}`;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function addImages(
  tar: Pack,
  images: readonly ImageConfig[],
  layer: { file: string; digest: string },
): Promise<void> {
  const layerName = `${layer.digest}.tar`;
  await addEntry(tar, { path: layerName, file: layer.file });
  const manifest = [];
  for (const image of images) {
    const config = imageJson(image, [`sha256:${layer.digest}`]);
    const name = `${createHash('sha256').update(config).digest('hex')}.json`;
    await addEntry(tar, { path: name, content: config });
    manifest.push({ Config: name, RepoTags: image.tags, Layers: [layerName] });
  }
  await addEntry(tar, { path: 'manifest.json', content: JSON.stringify(manifest) });
}
