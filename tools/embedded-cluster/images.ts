import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { keysOf } from '../../src/kubernetes/objects/records.ts';
import {
  writeImageArchive,
  type ImageConfig,
  type LayerEntry,
} from '../../scripts/image/archive.ts';
import { ensureBinaries, type BinaryName } from './binaries.ts';
import { lock } from './lock.ts';
import { cacheDirectory, digest } from './paths.ts';
import type { Progress } from './progress.ts';
import * as release from './releases.ts';
import { ensureTools } from './tools.ts';

/** An archive of images that share one program file, which is called by different names. */
interface Archive {
  program: BinaryName | 'busybox';
  /** Path of the program in the image. */
  path: string;
  /** Symbolic links to the program in the same folder. */
  names: readonly string[];
  images: readonly ImageConfig[];
}

/** Returns an etcd image. It contains no shell, like the official image since 3.6.6-0. */
function etcdImage(program: BinaryName, tag: string, tools: readonly string[]): Archive {
  const path = 'usr/local/bin/etcd';
  const images = [{ tags: [`registry.k8s.io/etcd:${tag}`], entrypoint: [`/${path}`] }];
  return { program, path, names: tools, images };
}

function serverImages(program: BinaryName, version: string): Archive {
  const names = ['kube-apiserver', 'kube-controller-manager'];
  return {
    program,
    path: 'usr/local/bin/kubernetes',
    names,
    images: names.map((name) => ({
      tags: [`registry.k8s.io/${name}:${version}`],
      entrypoint: [`/usr/local/bin/${name}`],
    })),
  };
}

const karmadaPrograms = [
  'karmada-agent',
  'karmada-aggregated-apiserver',
  'karmada-controller-manager',
  'karmada-descheduler',
  'karmada-metrics-adapter',
  'karmada-operator',
  'karmada-scheduler',
  'karmada-scheduler-estimator',
  'karmada-search',
  'karmada-webhook',
  'karmadactl',
];

function karmadaImages(program: BinaryName, version: string): Archive {
  return {
    program,
    path: 'bin/karmada',
    names: karmadaPrograms,
    images: karmadaPrograms.map((name) => ({
      tags: [`docker.io/karmada/${name}:${version}`],
      entrypoint: [`/bin/${name}`],
    })),
  };
}

const shellApplets = [
  'sh',
  'cat',
  'cp',
  'httpd',
  'ls',
  'mkdir',
  'mv',
  'nc',
  'nslookup',
  'ping',
  'rm',
  'sleep',
  'tar',
  'touch',
  'wget',
];

/** All embedded images by name, except the operator image. */
const archives = {
  pause: {
    program: 'pause',
    path: 'pause',
    names: [],
    images: [{ tags: [`registry.k8s.io/pause:${release.pauseTag}`], entrypoint: ['/pause'] }],
  },
  coredns: {
    program: 'coredns',
    path: 'coredns',
    names: [],
    images: [
      { tags: [`registry.k8s.io/coredns/coredns:${release.coreDnsTag}`], entrypoint: ['/coredns'] },
    ],
  },
  busybox: {
    program: 'busybox',
    path: 'bin/busybox',
    names: shellApplets,
    images: [{ tags: [`docker.io/library/busybox:${release.busyboxTag}`], command: ['sh'] }],
  },
  etcd: etcdImage('etcd', release.etcdTags.current, ['etcdctl', 'etcdutl']),
  'etcd-previous': etcdImage('etcd-previous', release.etcdTags.previous, ['etcdctl']),
  kubernetes: serverImages('kubernetes', release.kubernetesReleases.current),
  'kubernetes-previous': serverImages('kubernetes-previous', release.kubernetesReleases.previous),
  karmada: karmadaImages('karmada', release.karmadaReleases.current),
  'karmada-previous': karmadaImages('karmada-previous', release.karmadaReleases.previous),
  'karmada-oldest': karmadaImages('karmada-oldest', release.karmadaReleases.oldest),
} satisfies Record<string, Archive>;

export type ImageName = keyof typeof archives;

export const imageNames = keysOf(archives);

/** Images that a cluster needs to run any Pod. */
export const nodeImages: readonly ImageName[] = ['pause', 'coredns'];

/** Additional images for the demo: one Kubernetes release, one Karmada release, etcd. */
export const demoImages: readonly ImageName[] = ['etcd', 'kubernetes', 'karmada'];

const users = [
  'root:x:0:0:root:/root:/sbin/nologin',
  'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin',
  'nobody:x:65534:65534:nobody:/:/sbin/nologin',
];

function layer(archive: Archive, program: string): LayerEntry[] {
  const directory = archive.path.replace(/[^/]*$/, '');
  return [
    { path: archive.path, file: program, mode: 0o755 },
    ...archive.names.map((name) => ({ path: `${directory}${name}`, link: basename(archive.path) })),
    { path: 'etc/passwd', content: `${users.join('\n')}\n` },
    { path: 'etc/group', content: 'root:x:0:\nnonroot:x:65532:\nnobody:x:65534:\n' },
    { path: 'tmp', directory: true, mode: 0o1777 },
  ];
}

async function programs(
  names: readonly Archive['program'][],
  progress: Progress,
): Promise<Record<string, string>> {
  const built = names.filter((name) => name !== 'busybox');
  const { busybox } = await ensureTools(progress);
  return { ...(await ensureBinaries(built, progress)), busybox };
}

/** Writes an archive, unless another process has written it meanwhile. */
async function writeOnce(
  file: string,
  name: string,
  write: () => Promise<unknown>,
  progress: Progress,
): Promise<void> {
  const held = await lock(`image:${file}`, () =>
    progress.note(`waiting: another process writes ${name}`),
  );
  try {
    if (!existsSync(file)) await progress.step(`write image ${name}`, write);
  } finally {
    held.release();
  }
}

/**
 * Returns the archive files of the images, and builds those that are missing in the cache.
 * File names contain the key of the content, so an existing file is complete and current.
 */
export async function ensureImages(
  names: readonly ImageName[],
  progress: Progress,
): Promise<string[]> {
  const chosen = names.map((name): { name: ImageName; archive: Archive } => ({
    name,
    archive: archives[name],
  }));
  const found = await programs(
    chosen.map(({ archive }) => archive.program),
    progress,
  );
  const directory = join(cacheDirectory(), 'images');
  await mkdir(directory, { recursive: true });
  const files: string[] = [];
  for (const { name, archive } of chosen) {
    const entries = layer(archive, found[archive.program] ?? '');
    // Program paths contain the key of their content, so a digest of the entries identifies the image.
    const key = digest(JSON.stringify(entries), JSON.stringify(archive.images));
    const file = join(directory, `${name}-${key}.tar`);
    files.push(file);
    if (!existsSync(file))
      await writeOnce(file, name, () => writeImageArchive(file, entries, archive.images), progress);
  }
  return files;
}
