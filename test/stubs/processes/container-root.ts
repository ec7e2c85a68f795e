/** Root directories of containers: the programs of an image, and the volumes of the Pod. */
import { copyFile, link, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { secretData, type ClusterView } from '../kubelet/cluster-view.ts';
import { specOf, type ContainerSpec, type Volume } from '../kubelet/pod-runtime.ts';

/** Content of an image. */
export interface Image {
  /** Files by their path in the image. */
  readonly files: Readonly<Record<string, string>>;
  /** Directories of this machine, such as the one with the libraries. */
  readonly directories?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a container sees at a path. */
export interface Bind {
  readonly source: string;
  readonly target: string;
}

export interface RootOptions {
  readonly view: ClusterView;
  readonly pod: KubernetesObject;
  /** Directory of the Pod. */
  readonly directory: string;
  /** Directory with the volumes of PVCs. */
  readonly volumes: string;
  readonly dns: string;
}

/** Links a file, or copies it from another file system. A file of an earlier run of the container stays. */
async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await link(from, to).catch(async (error: unknown) => {
    const { code } = error as { code?: unknown };
    if (code === 'EXDEV') await copyFile(from, to);
    else if (code !== 'EEXIST') throw error;
  });
}

/** Writes the files of a container. @returns its root directory, and what is mounted into it */
export async function createRoot(
  { view, pod, directory, volumes, dns }: RootOptions,
  { name, volumeMounts = [] }: ContainerSpec,
  image: Image,
): Promise<{ readonly root: string; readonly binds: readonly Bind[] }> {
  const root = join(directory, name);
  for (const path of ['dev', 'proc', 'tmp', 'etc'])
    await mkdir(join(root, path), { recursive: true });
  for (const [path, from] of Object.entries(image.files)) await place(from, join(root, path));
  await writeFile(join(root, 'etc/resolv.conf'), `nameserver ${dns}\n`);
  await writeFile(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
  await writeFile(join(root, 'dev/termination-log'), '');
  const binds = await Promise.all(
    volumeMounts.map(async ({ name: of, mountPath, subPath = '' }): Promise<Bind> => {
      const volume = specOf(pod).volumes?.find((one) => one.name === of);
      const source = await sourceOf({ view, pod, directory, volumes }, of, volume);
      await mkdir(join(root, mountPath), { recursive: true });
      return { source: join(source, subPath), target: join(root, mountPath) };
    }),
  );
  for (const path of image.directories ?? []) await mkdir(join(root, path), { recursive: true });
  const own = (image.directories ?? []).map((path) => ({ source: path, target: join(root, path) }));
  return { root, binds: [...own, ...binds] };
}

/** Directory of a volume on this machine. */
async function sourceOf(
  { view, pod, directory, volumes }: Omit<RootOptions, 'dns'>,
  name: string,
  volume: Volume | undefined,
): Promise<string> {
  const { namespace = '' } = pod.metadata;
  const claim = volume?.persistentVolumeClaim?.claimName;
  const own = join(directory, 'volumes', name);
  if (claim !== undefined) {
    const uid = view.claim(namespace, claim)?.metadata.uid;
    if (uid === undefined) throw new Error(`PVC ${claim} does not exist`);
    const path = join(volumes, uid);
    await mkdir(path, { recursive: true });
    return path;
  }
  await mkdir(own, { recursive: true });
  if (volume?.secret !== undefined) await writeSecret(view, namespace, volume.secret, own);
  return own;
}

async function writeSecret(
  view: ClusterView,
  namespace: string,
  { secretName, items }: NonNullable<Volume['secret']>,
  directory: string,
): Promise<void> {
  const data = secretData(view, namespace, secretName);
  const files = items ?? Object.keys(data).map((key) => ({ key, path: key }));
  for (const { key, path } of files) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, Buffer.from(data[key] ?? '', 'base64'), { mode: 0o600 });
  }
}
