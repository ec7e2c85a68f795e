/**
 * Karmadas for tests of many instances. Their control planes are stubs: objects in an API server without a kubelet and
 * without controllers, so that no pod ever runs.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { API_VERSION, KIND } from '../../../src/api/karmada.ts';
import { releaseArchive } from '../../../src/controlplane/__fixtures__/tar.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';

/** Where the archive of all instances comes from; it is never asked, as the archive is there. */
const ARCHIVE = 'https://archives.invalid/crds.tar.gz';

/** Where the operator finds the archive, below a directory of its data. */
export async function layArchive(directory: string): Promise<void> {
  const address = createHash('sha256').update(ARCHIVE).digest('hex');
  const file = join(directory, 'cache', address, 'crds.tar.gz');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await releaseArchive());
}

/** A Karmada in a namespace of the same name. @param hostCluster absent for the operator's own cluster */
export function karmadaOf(name: string, hostCluster?: object): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name, namespace: name },
    spec: {
      ...(hostCluster && { hostCluster }),
      crdTarball: { httpSource: { url: ARCHIVE } },
      components: { etcd: { local: { volumeData: { emptyDir: {} } } } },
    },
  };
}

export const namespaceOf = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The Secret by which a host is reached, beside its Karmada. */
export const hostSecret = (
  name: string,
  { token, ca }: { readonly token: string; readonly ca: string },
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'host', namespace: name },
  data: { token: base64(token), caBundle: base64(ca) },
});

/** What a Karmada says of its host. */
export const hostClusterOf = (name: string, apiEndpoint: string): object => ({
  apiEndpoint,
  secretRef: { name: 'host', namespace: name },
});

/** `<prefix>-01` and so on. */
export const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`);
