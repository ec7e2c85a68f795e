import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { applyAll, karmadaIn, sampleObjects } from './install.ts';
import { removeReplaced } from './replaced.ts';
import type { Scene } from './scene.ts';
import { clientOf, demoCluster, embeddedTarget, remoteCluster, type Target } from './target.ts';
import { remoteUsage } from './usage.ts';

const rightsFile = 'config/remote-host/rights.yaml';
const sample = 'samples/karmada-remote-host.yaml';

/** Secret with the credentials for the operator, which the RBAC file creates on the host cluster. */
const credentials = { namespace: 'karmada-system', name: 'karmada-operator-remote' };

/** Prefixes steps with the name of their cluster. */
function progressOf(name: string, progress: Progress): Progress {
  return {
    step: (text, action) => progress.step(`${name}: ${text}`, action),
    note: (text) => progress.note(`${name}: ${text}`),
  };
}

/**
 * Returns the Secret with the operator's credentials for the host cluster.
 * @param issued Secret of the host cluster with the token; values in base64
 * @returns undefined while `issued` is missing or incomplete
 */
export function accessSecret(
  issued: KubernetesObject | undefined,
  metadata: KubernetesObject['metadata'],
): KubernetesObject | undefined {
  const data = issued?.['data'] as Readonly<Record<string, string>> | undefined;
  const { token, 'ca.crt': caBundle } = data ?? {};
  if (token === undefined || caBundle === undefined) return undefined;
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: { token, caBundle } };
}

/** Returns the objects of the sample, with the address of the host cluster's API server in the Karmada. */
export function withEndpoint(
  objects: readonly KubernetesObject[],
  apiEndpoint: string,
): KubernetesObject[] {
  const { spec, ...karmada } = karmadaIn(objects);
  const named = {
    ...karmada,
    spec: { ...spec, hostCluster: { ...spec?.hostCluster, apiEndpoint } },
  };
  return objects.map((object) => (object.kind === named.kind ? named : object));
}

/** Grants the operator its permissions on the host cluster. @returns the credentials Secret, not yet created */
async function grantRights(
  host: ReturnType<typeof clientOf>,
  metadata: KubernetesObject['metadata'],
): Promise<KubernetesObject> {
  await applyAll(host, await sampleObjects(rightsFile));
  return poll('the host cluster has issued a token', async (seen) => {
    const issued = await host.client.find(resources.Secret, credentials);
    seen(issued === undefined ? 'no Secret' : 'an incomplete Secret');
    return accessSecret(issued, metadata);
  });
}

/** Creates the Secret and its namespace. */
async function makeSecret(target: Target, secret: KubernetesObject): Promise<void> {
  const metadata = { name: secret.metadata.namespace ?? '' };
  await applyAll(target, [{ apiVersion: 'v1', kind: 'Namespace', metadata }, secret]);
}

/**
 * Gives the operator access to the remote host cluster as docs/configure/remote-host-clusters.md describes.
 * @returns the objects of the sample
 */
async function giveAccess(
  kubeconfig: string,
  target: Target,
  progress: Progress,
): Promise<KubernetesObject[]> {
  const host = clientOf(kubeconfig);
  try {
    const objects = withEndpoint(await sampleObjects(sample), host.server);
    const karmada = karmadaIn(objects);
    const { name = '', namespace = '' } = karmada.spec?.hostCluster?.secretRef ?? {};
    const secret = await progressOf(remoteCluster, progress).step(`apply ${rightsFile}`, () =>
      grantRights(host, { name, namespace }),
    );
    const own = progressOf(demoCluster, progress);
    await removeReplaced(target, karmada, secret, own);
    await own.step(`create Secret ${namespace}/${name}`, () => makeSecret(target, secret));
    return objects;
  } finally {
    await host.client.close();
  }
}

/** Starts two embedded clusters: one with the operator and the Karmada, one for the control plane. */
export async function remoteScene(progress: Progress): Promise<Scene> {
  progress.note(
    `Two clusters: ${demoCluster} runs the operator, ${remoteCluster} runs the control plane.`,
  );
  const own = progressOf(demoCluster, progress);
  // The cluster of the operator needs no control plane images.
  const { target, image } = await embeddedTarget(own, []);
  const host = await up({ name: remoteCluster, progress: progressOf(remoteCluster, progress) });
  return {
    target,
    image,
    progress: own,
    sample,
    prepare: () => giveAccess(host.kubeconfig, target, progress),
    usage: (metadata) => remoteUsage(target, host.kubeconfig, metadata),
  };
}
