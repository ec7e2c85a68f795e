/** Writes a container image for several platforms as an archive in the OCI image layout. */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import {
  addEntries,
  addEntry,
  imageJson,
  writeTar,
  type ImageConfig,
  type LayerEntry,
} from '../image/archive.ts';
import { fileDigest, textDigest } from './digests.ts';

const TYPES = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

interface Descriptor {
  readonly mediaType: string;
  /** Such as `sha256:<hex>`. */
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: 'linux' };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A compressed layer. */
export interface Layer {
  readonly file: string;
  readonly descriptor: Descriptor;
  /** Digest of the uncompressed layer. */
  readonly diffId: string;
}

/** Writes a compressed layer. Equal entries result in equal bytes. */
export async function writeLayer(file: string, entries: readonly LayerEntry[]): Promise<Layer> {
  const diff = await writeTar(file, (tar) => addEntries(tar, entries), createGzip());
  const { size } = await stat(file);
  const digest = `sha256:${await fileDigest(file)}`;
  return { file, descriptor: { mediaType: TYPES.layer, digest, size }, diffId: `sha256:${diff}` };
}

/** The image of one platform. */
export interface PlatformImage {
  readonly config: ImageConfig & { readonly architecture: string };
  readonly layers: readonly Layer[];
}

interface TextBlob {
  readonly text: string;
  readonly descriptor: Descriptor;
}

function blob(mediaType: string, content: object | string): TextBlob {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const digest = `sha256:${textDigest(text)}`;
  return { text, descriptor: { mediaType, digest, size: Buffer.byteLength(text) } };
}

/** Returns manifest and configuration of an image. */
function imageBlobs({ config, layers }: PlatformImage): { manifest: TextBlob; config: TextBlob } {
  const diffs = layers.map(({ diffId }) => diffId);
  const configuration = blob(TYPES.config, imageJson(config, diffs));
  const manifest = blob(TYPES.manifest, {
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config: configuration.descriptor,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  return { manifest, config: configuration };
}

/** Returns the index of the images of all platforms. */
function platformIndex(images: readonly PlatformImage[], manifests: readonly TextBlob[]): TextBlob {
  return blob(TYPES.index, {
    schemaVersion: 2,
    mediaType: TYPES.index,
    manifests: manifests.map(({ descriptor }, index) => ({
      ...descriptor,
      platform: { architecture: images[index]?.config.architecture ?? '', os: 'linux' },
    })),
  });
}

const blobPath = (digest: string): string => `blobs/${digest.replace(':', '/')}`;

/**
 * Writes the archive.
 * @param reference reference of the image, such as `localhost/operator:1.0.0`
 * @returns the digest of the image for all platforms, as `sha256:<hex>`
 */
export async function writeOciArchive(
  file: string,
  images: readonly PlatformImage[],
  reference: string,
): Promise<string> {
  const blobs = images.map(imageBlobs);
  const index = platformIndex(
    images,
    blobs.map(({ manifest }) => manifest),
  );
  const annotations = {
    'io.containerd.image.name': reference,
    'org.opencontainers.image.ref.name': reference.split(':').at(-1) ?? '',
  };
  const top = { schemaVersion: 2, manifests: [{ ...index.descriptor, annotations }] };
  const texts = [index, ...blobs.flatMap(({ manifest, config }) => [manifest, config])];
  const layers = new Map(
    images.flatMap((image) => image.layers.map((layer) => [layer.descriptor.digest, layer.file])),
  );
  const entries: LayerEntry[] = [
    ...texts.map(({ text, descriptor }) => ({ path: blobPath(descriptor.digest), content: text })),
    ...[...layers].map(([digest, layer]) => ({ path: blobPath(digest), file: layer })),
  ];
  await writeTar(file, async (tar) => {
    await addEntry(tar, { path: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}' });
    await addEntry(tar, { path: 'index.json', content: JSON.stringify(top) });
    await addEntries(
      tar,
      entries.sort((a, b) => (a.path < b.path ? -1 : 1)),
    );
  });
  return index.descriptor.digest;
}

/** Calls `use` with a new folder for layers, and removes it afterwards. */
export async function withLayerFolder<T>(
  archive: string,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = `${archive}.layers`;
  await mkdir(folder, { recursive: true });
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the path of a layer in a folder of `withLayerFolder`. */
export const layerFile = (folder: string, name: string): string => join(folder, `${name}.tar.gz`);
