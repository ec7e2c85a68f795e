import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { load } from 'js-yaml';
import { archiveFolder, archiveUrl, packCrds } from '../../scripts/image/crds.ts';
import { karmadaModule } from '../../scripts/image/karmada-module.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';

export const upstreamNamespace = 'upstream-operator';
export const upstreamName = 'karmada-operator';

/** Cluster with the Go operator, and a client with administrator credentials. */
export interface GoHost {
  readonly cluster: Cluster;
  readonly client: KubernetesClient;
}

export type KarmadaRelease = (typeof karmadaReleases)[keyof typeof karmadaReleases];

const labels = { 'app.kubernetes.io/name': upstreamName };

/** Returns the directory with the CRDs of a Karmada control plane, in `bases` and `patches`. */
const controlPlaneCrds = async (version: KarmadaRelease): Promise<string> =>
  join(await karmadaModule(version), 'charts/karmada/_crds');

/** Returns the names of the required CRDs of a control plane, from the file names `<group>_<plural>.yaml`. */
export async function controlPlaneCrdNames(): Promise<string[]> {
  const files = await readdir(join(await controlPlaneCrds(karmadaReleases.current), 'bases'), {
    recursive: true,
  });
  return files
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => basename(file, '.yaml').split('_').toReversed().join('.'))
    .sort();
}

/** Reads the Karmada CRD of the Go operator. */
export async function upstreamCrd(
  version: KarmadaRelease = karmadaReleases.current,
): Promise<KubernetesObject> {
  const directory = join(await karmadaModule(version), 'operator/config/crds');
  const text = await readFile(join(directory, 'operator.karmada.io_karmadas.yaml'), 'utf8');
  return load(text) as KubernetesObject;
}

/**
 * Reads what an administrator applies to a control plane of the Go operator before clusters can register: a ConfigMap
 * with this CA (base64) and address, and roles.
 */
export async function bootstrapConfiguration(ca: string, server: string): Promise<string> {
  const folder = join(await karmadaModule(karmadaReleases.current), 'artifacts/deploy');
  const text = await readFile(join(folder, 'bootstrap-token-configuration.yaml'), 'utf8');
  return text.replaceAll('{{ca_crt}}', () => ca).replaceAll('{{apiserver_address}}', () => server);
}

/**
 * Preloads the CRD archive of the control plane in the cache of the Go operator, so that it needs no download.
 * @returns the data directory on the node
 */
export async function seedArchive({ cluster }: GoHost, version: KarmadaRelease): Promise<string> {
  const data = join(cluster.node.directory, 'upstream-data');
  const folder = join(data, archiveFolder(archiveUrl(version)));
  const packed = join(cluster.node.directory, 'upstream-crds.tar.gz');
  await packCrds(await controlPlaneCrds(version), packed);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await cp(packed, join(folder, 'crds.tar.gz'));
  return data;
}

const rule = (apiGroups: string, resources: string, verbs: string): object => ({
  apiGroups: [apiGroups],
  resources: resources.split(' '),
  verbs: verbs.split(' '),
});

/** RBAC rules of the Go operator's chart. */
const rules = [
  rule('coordination.k8s.io', 'leases', 'get create update'),
  rule('operator.karmada.io', 'karmadas', 'get list watch update'),
  rule('operator.karmada.io', 'karmadas/status', 'update'),
  rule('', 'events', 'create'),
  rule('', 'nodes pods', 'list'),
  rule('', 'namespaces', 'get'),
  rule('', 'secrets services', 'get create update delete'),
  rule('apps', 'statefulsets deployments', 'get create update delete'),
  rule('policy', 'poddisruptionbudgets', 'get create update delete'),
  { nonResourceURLs: ['/healthz'], verbs: ['get'] },
];

const inNamespace = { namespace: upstreamNamespace, name: upstreamName };

/** Name of the cluster-scoped objects of the Go operator. Those of this operator are named `karmada-operator`. */
const clusterWide = { name: upstreamNamespace };

/** Volume and mount of the data directory of the Go operator. */
export const dataVolume = (data: string): { readonly volume: object; readonly mount: object } => ({
  volume: { name: 'data', hostPath: { path: data, type: 'Directory' } },
  mount: { name: 'data', mountPath: '/var/lib/karmada' },
});

function deployment(data: string, version: KarmadaRelease): KubernetesObject {
  const { volume, mount } = dataVolume(data);
  const command = ['/bin/karmada-operator', '--v=2'];
  const container = {
    name: upstreamName,
    image: `docker.io/karmada/karmada-operator:${version}`,
    imagePullPolicy: 'IfNotPresent',
    command: [...command, `--leader-elect-resource-namespace=${upstreamNamespace}`],
    ports: [{ name: 'metrics', containerPort: 8080 }],
    volumeMounts: [mount],
  };
  const pod = {
    serviceAccountName: upstreamName,
    containers: [container],
    volumes: [volume],
  };
  const template = { metadata: { labels }, spec: pod };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: inNamespace,
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
}

/** Installs the Go operator like its chart, with 0 replicas and a preloaded CRD archive. */
export async function installUpstream(
  host: GoHost,
  version: KarmadaRelease = karmadaReleases.current,
): Promise<void> {
  const data = await seedArchive(host, version);
  const rbac = 'rbac.authorization.k8s.io';
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', ...clusterWide };
  const subject = { kind: 'ServiceAccount', ...inNamespace };
  const objects: KubernetesObject[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: upstreamNamespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inNamespace },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: clusterWide, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: clusterWide,
      roleRef,
      subjects: [subject],
    },
    deployment(data, version),
  ];
  for (const object of objects)
    await host.client.apply(object, { fieldManager: 'go-operator-test', force: true });
}
