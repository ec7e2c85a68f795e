import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { resources } from '../../src/kubernetes/resources.ts';
import { poll } from '../cluster/poll.ts';
import type { Progress } from '../cluster/progress.ts';
import { up } from '../cluster/up.ts';
import { applyAll, karmadaIn, sampleObjects } from './install.ts';
import { removeReplaced } from './replaced.ts';
import type { Scene } from './scene.ts';
import { clientOf, demoCluster, embeddedTarget, remoteCluster, type Target } from './target.ts';
import { remoteUsage } from './usage.ts';

const rightsFile = 'config/remote-host/rights.yaml';
const sample = 'samples/karmada-remote-host.yaml';

/** Where the host puts the credentials that the file of rights asks for. */
const credentials = { namespace: 'karmada-system', name: 'karmada-operator-remote' };

/** Shows steps with the name of the cluster in which they happen. */
function progressOf(name: string, progress: Progress): Progress {
  return {
    step: (text, action) => progress.step(`${name}: ${text}`, action),
    note: (text) => progress.note(`${name}: ${text}`),
  };
}

/**
 * The Secret with which the operator gets into the host.
 * @param issued the Secret of the host with the token, values in base64
 * @returns undefined as long as that one is not complete
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

/** The sample's objects with the address of the host's API server in the Karmada. */
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

/** What the operator may do in the host. @returns the Secret with which it gets in, not made yet */
async function grantRights(
  host: ReturnType<typeof clientOf>,
  metadata: KubernetesObject['metadata'],
): Promise<KubernetesObject> {
  await applyAll(host, await sampleObjects(rightsFile));
  return poll('the host has issued a token', async (seen) => {
    const issued = await host.client.find(resources.Secret, credentials);
    seen(issued === undefined ? 'no Secret' : 'a Secret that is not complete');
    return accessSecret(issued, metadata);
  });
}

/** Makes the Secret, in a namespace that is made first. */
async function makeSecret(target: Target, secret: KubernetesObject): Promise<void> {
  const metadata = { name: secret.metadata.namespace ?? '' };
  await applyAll(target, [{ apiVersion: 'v1', kind: 'Namespace', metadata }, secret]);
}

/** Gives the operator access to the host, as docs/remote-host.md tells. @returns the objects of the sample */
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
    await own.step(`make Secret ${namespace}/${name}`, () => makeSecret(target, secret));
    return objects;
  } finally {
    await host.client.close();
  }
}

/** Two embedded clusters: the operator and the Karmada in one, the control plane in the other. */
export async function remoteScene(progress: Progress): Promise<Scene> {
  progress.note(
    `Two clusters: ${demoCluster} has the operator, ${remoteCluster} gets the control plane.`,
  );
  const own = progressOf(demoCluster, progress);
  // No image of a control plane: none of it runs there.
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
