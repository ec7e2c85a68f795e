import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { load } from 'js-yaml';
import { archiveFolder, archiveUrl, packCrds } from '../../../scripts/image/crds.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { run } from '../../cluster/command.ts';
import { karmadaReleases } from '../../cluster/releases.ts';
import { goEnvironment } from '../../cluster/toolchain.ts';
import { apply, type Session } from './session.ts';

export const upstreamNamespace = 'upstream-operator';
export const upstreamName = 'karmada-operator';

const version = karmadaReleases.current;
const labels = { 'app.kubernetes.io/name': upstreamName };

/** Directory of Karmada's Go module, which holds upstream's charts and CRDs. */
async function moduleDirectory(): Promise<string> {
  const download = ['go', 'mod', 'download', '-json', `github.com/karmada-io/karmada@${version}`];
  const output = await run(download, { cwd: '/', env: goEnvironment() });
  return (JSON.parse(output) as { Dir: string }).Dir;
}

/** CRDs of a Karmada control plane, as a directory with `bases` and `patches`. */
const controlPlaneCrds = async (): Promise<string> =>
  join(await moduleDirectory(), 'charts/karmada/_crds');

/** Names of the CRDs that a control plane of this release must have, from files named `<group>_<plural>.yaml`. */
export async function controlPlaneCrdNames(): Promise<string[]> {
  const files = await readdir(join(await controlPlaneCrds(), 'bases'), { recursive: true });
  return files
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => basename(file, '.yaml').split('_').toReversed().join('.'))
    .sort();
}

/** Upstream's own definition of Karmada. */
export async function upstreamCrd(): Promise<KubernetesObject> {
  const directory = join(await moduleDirectory(), 'charts/karmada-operator/crds');
  const text = await readFile(join(directory, 'operator.karmada.io_karmadas.yaml'), 'utf8');
  return load(text) as KubernetesObject;
}

/**
 * Lays the archive of the control plane's CRDs where upstream looks for it before it downloads one.
 * @returns the data directory, on the node
 */
async function seedArchive({ cluster }: Session): Promise<string> {
  const data = join(cluster.node.directory, 'upstream-data');
  const folder = join(data, archiveFolder(archiveUrl(version)));
  const packed = join(cluster.node.directory, 'upstream-crds.tar.gz');
  await packCrds(await controlPlaneCrds(), packed);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await cp(packed, join(folder, 'crds.tar.gz'));
  return data;
}

const rule = (apiGroups: string, resources: string, verbs: string): object => ({
  apiGroups: [apiGroups],
  resources: resources.split(' '),
  verbs: verbs.split(' '),
});

/** What upstream's chart lets its operator do. */
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

/** Names of what upstream has for the whole cluster; ours has `karmada-operator`. */
const clusterWide = { name: upstreamNamespace };

function deployment(data: string): KubernetesObject {
  const command = ['/bin/karmada-operator', '--v=2'];
  const container = {
    name: upstreamName,
    image: `docker.io/karmada/karmada-operator:${version}`,
    imagePullPolicy: 'IfNotPresent',
    command: [...command, `--leader-elect-resource-namespace=${upstreamNamespace}`],
    ports: [{ name: 'metrics', containerPort: 8080 }],
    volumeMounts: [{ name: 'data', mountPath: '/var/lib/karmada' }],
  };
  const pod = {
    serviceAccountName: upstreamName,
    containers: [container],
    volumes: [{ name: 'data', hostPath: { path: data, type: 'Directory' } }],
  };
  const template = { metadata: { labels }, spec: pod };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: inNamespace,
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
}

/** Installs upstream's operator as its chart does, without replicas and with the archive at hand. */
export async function installUpstream(session: Session): Promise<void> {
  const data = await seedArchive(session);
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
    deployment(data),
  ];
  for (const object of objects) await apply(session, object);
}
