import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findCluster, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { clusterDirectory, clusterNames } from '../../tools/embedded-cluster/slot.ts';

/** Resource types that are dumped completely. Secrets are only listed, because a report must not contain their data. */
const dumped = [
  'karmadas.operator.karmada.io',
  'deployments',
  'statefulsets',
  'replicasets',
  'services',
  'pods',
  'persistentvolumeclaims',
  'persistentvolumes',
  'poddisruptionbudgets',
  'networkpolicies',
  'leases',
  'namespaces',
];

async function save(cluster: Cluster, file: string, args: readonly string[]): Promise<void> {
  const { stdout, stderr } = await tryKubectl(cluster, [...args, '--request-timeout=10s']);
  await writeFile(file, stdout === '' ? stderr : stdout);
}

interface Pod {
  metadata: { namespace: string; name: string };
  spec: { containers: { name: string }[]; initContainers?: { name: string }[] };
}

async function saveLogs(cluster: Cluster, directory: string): Promise<void> {
  const { stdout } = await tryKubectl(cluster, [
    'get',
    'pods',
    '-A',
    '-o',
    'json',
    '--request-timeout=10s',
  ]);
  const { items } = JSON.parse(stdout || '{"items":[]}') as { items: Pod[] };
  for (const { metadata, spec } of items) {
    for (const { name } of [...spec.containers, ...(spec.initContainers ?? [])]) {
      const target = ['logs', '-n', metadata.namespace, metadata.name, '-c', name, '--tail=5000'];
      const file = join(directory, `${metadata.namespace}_${metadata.name}_${name}`);
      await save(cluster, `${file}.log`, target);
      await save(cluster, `${file}.previous.log`, [...target, '--previous']);
    }
  }
}

async function saveCluster(cluster: Cluster, directory: string): Promise<void> {
  await mkdir(join(directory, 'pods'), { recursive: true });
  await save(cluster, join(directory, 'events.txt'), [
    'get',
    'events',
    '-A',
    '--sort-by=.lastTimestamp',
  ]);
  await save(cluster, join(directory, 'secrets.txt'), ['get', 'secrets', '-A']);
  for (const kind of dumped) {
    await save(cluster, join(directory, `${kind}.yaml`), ['get', kind, '-A', '-o', 'yaml']);
  }
  await saveLogs(cluster, join(directory, 'pods'));
}

/**
 * Saves component logs, Events and objects of all embedded clusters in a folder below `artifacts/`.
 * @returns the folder
 */
export async function collectDiagnostics(test: string, error: string): Promise<string> {
  const slug = test.replaceAll(/[^A-Za-z0-9.]+/g, '-').slice(0, 80);
  const directory = join(
    checkout,
    'artifacts',
    `${new Date().toISOString().replaceAll(':', '')}-${slug}`,
  );
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'failure.txt'), `${test}\n\n${error}\n`);
  for (const name of clusterNames()) {
    const target = join(directory, name);
    await cp(join(clusterDirectory(name), 'log'), join(target, 'node'), { recursive: true }).catch(
      () => undefined,
    );
    const cluster = findCluster(name);
    if (cluster !== undefined) await saveCluster(cluster, target);
  }
  return directory;
}
