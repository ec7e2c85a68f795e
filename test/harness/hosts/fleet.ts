/**
 * Karmadas for tests with many control planes. The control planes are stubs: objects in an API server without kubelet
 * and controllers, so that no Pod ever runs.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { API_VERSION, KIND } from '../../../src/api/karmada.ts';
import { releaseArchive } from '../../../src/controlplane/__fixtures__/tar.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';

/** CRD archive source of all Karmadas. The operator never connects to it, because the archive is preloaded. */
const ARCHIVE = 'https://archives.invalid/crds.tar.gz';

/** Stores the archive below a data directory, where the operator finds it. */
export async function layArchive(directory: string): Promise<void> {
  const address = createHash('sha256').update(ARCHIVE).digest('hex');
  const file = join(directory, 'cache', address, 'crds.tar.gz');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await releaseArchive());
}

/** A Karmada in a namespace of the same name. @param hostCluster not set for the management cluster */
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

/** Secret with the credentials of the host cluster, in the namespace of the Karmada. */
export const hostSecret = (
  name: string,
  { token, ca }: { readonly token: string; readonly ca: string },
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'host', namespace: name },
  data: { token: base64(token), caBundle: base64(ca) },
});

/** `spec.hostCluster` of a Karmada. */
export const hostClusterOf = (name: string, apiEndpoint: string): object => ({
  apiEndpoint,
  secretRef: { name: 'host', namespace: name },
});

/** Names `<prefix>-01`, `<prefix>-02` and so on. */
export const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`);
