/**
 * Files in flags that no volume contains. The root filesystem of a container is read-only, and an image contains no file of
 * the user. Pure functions.
 */
import { posix } from 'node:path';
import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { ComponentKey } from '../karmada.ts';
import { MAX_NAMED } from '../listed.ts';
import type { StringMap } from '../settings.ts';
import { flagValues } from './flag-values.ts';

/** Flags with the path of a file that the program writes. */
const WRITTEN = /^(audit-log-path|log-file|log-dir|cert-dir)$/;
/** Flags with the path of a file that the program reads at start. */
const READ = /^.*(-file|-config|-path|-kubeconfig|-cafile|-certfile|-keyfile|kubeconfig)$/;
/** Directories of the images and of the volumes that the operator mounts. */
const PRESENT = ['/etc/karmada', '/etc/ssl', '/etc/pki', '/usr/share', '/proc', '/dev'];

export interface Volumes {
  readonly extraVolumes?: readonly V1Volume[];
  readonly extraVolumeMounts?: readonly V1VolumeMount[];
}

export interface MissingPath {
  readonly flag: string;
  readonly path: string;
  readonly cause: 'notMounted' | 'readOnly';
}

/**
 * Returns the files in flags that the component cannot open: of a flag with many lines, those of the first 20.
 * @param volumes settings of the component; only karmada-apiserver can have volumes
 */
export function missingPaths(given: StringMap = {}, volumes: Volumes = {}): readonly MissingPath[] {
  const mounts = byDirectory(volumes.extraVolumeMounts ?? []);
  return Object.entries(given).flatMap(([flag, text]) => {
    const isWritten = WRITTEN.test(flag);
    if (!isWritten && !READ.test(flag)) return [];
    const paths = flagValues(text).slice(0, MAX_NAMED);
    return paths.flatMap((path): readonly MissingPath[] => {
      if (!path.startsWith('/')) return [];
      const mount = mountOf(path, mounts);
      if (mount === undefined)
        return !isWritten && PRESENT.some((directory) => path.startsWith(`${directory}/`))
          ? []
          : [{ flag, path, cause: 'notMounted' }];
      return isWritten && isReadOnly(mount, volumes) ? [{ flag, path, cause: 'readOnly' }] : [];
    });
  });
}

interface MountedDirectory {
  readonly directory: string;
  readonly mount: V1VolumeMount;
}

/** Returns mounts with their directories, the longest path first. */
const byDirectory = (mounts: readonly V1VolumeMount[]): readonly MountedDirectory[] =>
  mounts
    .map((mount) => ({ directory: posix.join(mount.mountPath, '/'), mount }))
    .sort((one, other) => other.directory.length - one.directory.length);

/** Returns the mount that contains a path: the one with the longest path. */
function mountOf(path: string, mounts: readonly MountedDirectory[]): V1VolumeMount | undefined {
  const normal = posix.join(path, '/');
  return mounts.find(({ directory }) => normal.startsWith(directory))?.mount;
}

/** Volumes whose files Kubernetes writes are always read-only. */
function isReadOnly({ name, readOnly }: V1VolumeMount, { extraVolumes = [] }: Volumes): boolean {
  const volume = extraVolumes.find((one) => one.name === name);
  const { configMap, secret, projected, downwardAPI } = volume ?? {};
  return readOnly === true || [configMap, secret, projected, downwardAPI].some(Boolean);
}

/** Message about a file, and what to do. @param field `spec.components.<key>` */
export function missingPathText(
  component: ComponentKey,
  field: string,
  { flag, path, cause }: MissingPath,
): string {
  const at = `${field}.extraArgs.${flag}`;
  const output = flag === 'audit-log-path' ? ', or "-" for the standard output' : '';
  if (cause === 'readOnly')
    return `${at}: the volume with ${path} is read-only, so the component exits at start; mount a writable volume, such as an emptyDir${output}.`;
  const isWritten = WRITTEN.test(flag);
  const kind = isWritten ? 'an emptyDir' : 'a ConfigMap or Secret';
  if (component !== 'karmadaAPIServer')
    return `${at}: no volume of the component contains ${path}, so it exits at start; leave the flag out${output}.`;
  return `${at}: no volume contains ${path}${isWritten ? ', and the root filesystem is read-only' : ''}, so the component exits at start; add ${kind} to ${field}.extraVolumes and extraVolumeMounts${output}.`;
}
