import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { kubectl, type Cluster } from '../cluster/cluster.ts';
import { run } from '../cluster/command.ts';
import { checkout } from '../cluster/paths.ts';

/** What the plan of a change says, as users call it. */
export async function planOf(cluster: Cluster, karmada: object): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'plan-')), 'karmada.yaml');
  await writeFile(file, dump(karmada));
  const script = join(checkout, 'scripts/plan.ts');
  const flags = ['--disable-warning=ExperimentalWarning'];
  return run([process.execPath, ...flags, script, '-f', file, '--kubeconfig', cluster.kubeconfig]);
}

/** Names of the workloads of which a plan says that their pods restart. */
export const restartsIn = (plan: string): string[] =>
  [...plan.matchAll(/(\S+), restarts its pods$/gm)]
    .map(([, name = '']) => name.split('/').at(-1) ?? '')
    .sort();

/** Pods of a namespace: uid by name. */
export type Pods = ReadonlyMap<string, string>;

export async function podsIn(cluster: Cluster, namespace: string): Promise<Pods> {
  const text = await kubectl(cluster, ['get', 'pods', '-n', namespace, '-o', 'json']);
  const { items } = JSON.parse(text) as { items: KubernetesObject[] };
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid ?? '']));
}

/** Names of the workloads that have pods which were not there before. */
export function restartsBetween(before: Pods, after: Pods): string[] {
  const fresh = [...after].filter(([name, uid]) => before.get(name) !== uid);
  return [
    ...new Set(fresh.map(([name]) => name.replace(/(-[a-z0-9]+-[a-z0-9]{5}|-\d+)$/, ''))),
  ].sort();
}
