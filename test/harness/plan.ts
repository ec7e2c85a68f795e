import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { dump } from 'js-yaml';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { kubectl, type Cluster } from '../cluster/cluster.ts';
import { run } from '../cluster/command.ts';
import { checkout } from '../cluster/paths.ts';
import { untilReady } from './control-plane.ts';

/** Prints a plan, as users do. */
async function planned({ kubeconfig }: Cluster, args: readonly string[]): Promise<string> {
  const script = join(checkout, 'scripts/plan.ts');
  const flags = ['--disable-warning=ExperimentalWarning'];
  return run([process.execPath, ...flags, script, ...args, '--kubeconfig', kubeconfig]);
}

/** What the plan says of `kubectl apply`. */
export async function planOf(cluster: Cluster, karmada: object): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'plan-')), 'karmada.yaml');
  await writeFile(file, dump(karmada));
  return planned(cluster, ['-f', file]);
}

/** What the plan says of `kubectl patch`. @param change merge patch of the spec */
export function planOfPatch(
  cluster: Cluster,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  change: object,
): Promise<string> {
  const patch = JSON.stringify({ spec: change });
  return planned(cluster, [name, '-n', namespace, '--patch', patch]);
}

/** Names of the workloads of which a plan says that their pods restart. */
export const restartsIn = (plan: string): string[] =>
  [...plan.matchAll(/(\S+), restarts its pods?( .+)?$/gm)]
    .map(([, name = '']) => name.split('/').at(-1) ?? '')
    .sort();

/** Pods that a plan names, because others of their workload stay. */
export const namedIn = (plan: string): string[] =>
  [...plan.matchAll(/, restarts its pods? (.+)$/gm)]
    .flatMap(([, names = '']) => names.split(' and '))
    .sort();

/** Pods of a namespace: uid by name. */
export type Pods = ReadonlyMap<string, string>;

export async function podsIn(cluster: Cluster, namespace: string): Promise<Pods> {
  const text = await kubectl(cluster, ['get', 'pods', '-n', namespace, '-o', 'json']);
  const { items } = JSON.parse(text) as { items: KubernetesObject[] };
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid ?? '']));
}

const workloadOf = (pod: string): string => pod.replace(/(-[a-z0-9]+-[a-z0-9]{5}|-\d+)$/, '');

/** Names of the workloads that had pods before and have others now. */
export function restartsBetween(before: Pods, after: Pods): string[] {
  const present = new Set([...before.keys()].map(workloadOf));
  const fresh = [...after].filter(([name, uid]) => before.get(name) !== uid);
  const workloads = new Set(fresh.map(([name]) => workloadOf(name)));
  return [...workloads].filter((workload) => present.has(workload)).sort();
}

interface Instance {
  readonly name: string;
  readonly namespace: string;
  /** Where its pods are, when that is another cluster than the one with the Karmada. */
  readonly host?: Cluster;
}

/**
 * Changes a Karmada and waits until that is done. Exactly those pods restart of which the plan says so (5.4).
 * @param change merge patch of the spec
 * @param done when it is; Ready when absent
 */
export async function patchAsPlanned(
  cluster: Cluster,
  { name, namespace, host = cluster }: Instance,
  change: object,
  done: () => Promise<unknown> = () => untilReady(cluster, name, namespace),
): Promise<void> {
  const patch = JSON.stringify({ spec: change });
  const plan = await planOfPatch(cluster, { name, namespace }, change);
  const before = await podsIn(host, namespace);
  const merge = ['patch', 'karmada', name, '-n', namespace, '--type=merge', '-p', patch];
  await kubectl(cluster, merge);
  await done();
  const restarted = restartsBetween(before, await podsIn(host, namespace));
  expect({ change, restarted }).toEqual({ change, restarted: restartsIn(plan) });
}
