import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { Components, Karmada } from '../../src/api/karmada.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { resources } from '../../src/kubernetes/objects/resources.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import {
  etcdTags,
  karmadaReleases,
  kubernetesReleases,
} from '../../tools/embedded-cluster/releases.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { installOperator } from './operator.ts';
import { installUpstream, upstreamCrd, upstreamName, upstreamNamespace } from './go-operator.ts';

export type GoRelease = keyof typeof karmadaReleases;

/** Release of the other images that a Karmada release runs with. */
const companion = (of: GoRelease): 'current' | 'previous' =>
  of === 'current' ? 'current' : 'previous';

const kubernetesTag = (name: string, of: GoRelease): object => ({
  imageRepository: `registry.k8s.io/${name}`,
  imageTag: kubernetesReleases[companion(of)],
});

/** Components whose images the embedded cluster has. The Go operator stores its own defaults for all others. */
export const componentsOf = (of: GoRelease, etcd: object, addons: object = {}): Components => ({
  etcd: { local: { imageTag: etcdTags[companion(of)], ...etcd } },
  karmadaAPIServer: kubernetesTag('kube-apiserver', of),
  kubeControllerManager: kubernetesTag('kube-controller-manager', of),
  karmadaMetricsAdapter: { replicas: 1 },
  ...addons,
});

/** Replaces the CRD without deleting any Karmada. */
async function replaceCrd(client: KubernetesClient, crd: KubernetesObject): Promise<void> {
  const key = { name: crd.metadata.name };
  const live = await client.get(resources.CustomResourceDefinition, key);
  const { labels, annotations, resourceVersion } = live.metadata;
  const merged = { ...annotations, ...crd.metadata.annotations };
  const metadata = { ...crd.metadata, labels, annotations: merged, resourceVersion };
  await client.replace({ ...crd, metadata } as KubernetesObject);
  await poll('Karmada objects can be listed', async () => {
    await client.list(karmadas);
    return true;
  });
}

async function scale(
  client: KubernetesClient,
  namespace: string,
  name: string,
  replicas: number,
): Promise<void> {
  const key = { namespace, name };
  if ((await client.find(resources.Deployment, key)) === undefined) return;
  await client.patch(resources.Deployment, key, { spec: { replicas } }, { subresource: 'scale' });
  await poll(
    `${namespace}/${name} has ${String(replicas)} Pods`,
    async (seen) => {
      const found = await client.get(resources.Deployment, key);
      const { replicas: present = 0, availableReplicas = 0 } = (found['status'] ?? {}) as {
        replicas?: number;
        availableReplicas?: number;
      };
      seen(JSON.stringify(found['status']));
      return present === replicas && availableReplicas === replicas ? true : undefined;
    },
    { deadlineMs: 120_000 },
  );
}

/** Stops this operator, and starts the Go operator of a release with its CRD. */
export async function startGoOperator(
  cluster: Cluster,
  client: KubernetesClient,
  of: GoRelease,
): Promise<void> {
  // Helm does not own a CRD that it did not create, and would reject the installation that follows.
  const crd = { name: 'karmadas.operator.karmada.io' };
  if ((await client.find(resources.CustomResourceDefinition, crd)) === undefined)
    await installOperator(cluster);
  await scale(client, operatorNamespace, release, 0);
  const version = karmadaReleases[of];
  await replaceCrd(client, await upstreamCrd(version));
  await installUpstream({ cluster, client }, version);
  await scale(client, upstreamNamespace, upstreamName, 1);
}

/** Replaces the CRD of the Go operator by that of this operator, as an installation of its chart does. */
export async function replaceGoCrd(client: KubernetesClient): Promise<void> {
  const file = join(checkout, 'crds/operator.karmada.io_karmadas.yaml');
  await replaceCrd(client, load(await readFile(file, 'utf8')) as KubernetesObject);
}

export const stopGoOperator = (client: KubernetesClient): Promise<void> =>
  scale(client, upstreamNamespace, upstreamName, 0);

/** Creates a Karmada with this spec, and its namespace. */
export async function createKarmada(
  client: KubernetesClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  spec: object,
): Promise<void> {
  await client.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { fieldManager: 'test', force: true },
  );
  await client.create({
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { namespace, name },
    spec,
  });
}

/** Creates a Karmada with this spec and waits until the Go operator reports it as Ready. */
export async function installByGoOperator(
  client: KubernetesClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  spec: object,
): Promise<void> {
  await createKarmada(client, { namespace, name }, spec);
  await poll(
    `the Go operator has installed ${namespace}/${name}`,
    async (seen) => {
      const { status } = (await client.get(karmadas, { namespace, name })) as unknown as Karmada;
      seen(JSON.stringify(status));
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.status === 'True' && ready.reason === 'Completed' ? true : undefined;
    },
    { deadlineMs: 300_000, intervalMs: 500 },
  );
}

/** Deletes the Karmadas of a namespace, and the namespace. */
export async function removeNamespace(cluster: Cluster, namespace: string): Promise<void> {
  const timeout = '--timeout=180s';
  await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', namespace, timeout]);
  await tryKubectl(cluster, ['delete', 'namespace', namespace, '--ignore-not-found', timeout]);
}

/** Starts this operator again, and deletes a namespace and everything of the Go operator. */
export async function endAdoption(cluster: Cluster, namespace: string): Promise<void> {
  await installOperator(cluster);
  await removeNamespace(cluster, namespace);
  await removeNamespace(cluster, upstreamNamespace);
  await tryKubectl(cluster, ['delete', 'clusterrole,clusterrolebinding', upstreamNamespace]);
}

/** resourceVersion of each object of a namespace, by kind and name; those of Leases and Events change by themselves. */
export async function versionsIn(
  cluster: Cluster,
  namespace: string,
): Promise<Readonly<Record<string, string>>> {
  const kinds =
    'deployments,statefulsets,services,secrets,poddisruptionbudgets,persistentvolumeclaims,pods';
  const text = await kubectl(cluster, ['get', kinds, '-n', namespace, '-o', 'json']);
  const { items } = JSON.parse(text) as { items: KubernetesObject[] };
  return Object.fromEntries(
    items.map(({ kind, metadata }) => [`${kind}/${metadata.name}`, metadata.resourceVersion ?? '']),
  );
}
