import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { dump } from 'js-yaml';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { untilReady } from './control-plane.ts';
import { runPlugin } from './plugin.ts';

/** Runs the plan command and returns its output. */
const planned = (cluster: Cluster, args: readonly string[]): Promise<string> =>
  runPlugin(cluster, ['plan', ...args]);

/** Output of the plan command for a Karmada manifest (`kubectl apply`). */
export async function planOf(cluster: Cluster, karmada: object): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'plan-')), 'karmada.yaml');
  await writeFile(file, dump(karmada));
  return planned(cluster, ['-f', file]);
}

/** Output of the plan command for a patch (`kubectl patch`). @param change merge patch of the spec */
export function planOfPatch(
  cluster: Cluster,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  change: object,
): Promise<string> {
  return planOfMergePatch(cluster, { name, namespace }, { spec: change });
}

/** The same for a merge patch of the whole object. */
export const planOfMergePatch = (
  cluster: Cluster,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  patch: object,
): Promise<string> => planned(cluster, [name, '-n', namespace, '--patch', JSON.stringify(patch)]);

/** Names of the workloads whose Pods restart according to a plan. */
export const restartsIn = (plan: string): string[] =>
  [...plan.matchAll(/(\S+), restarts its Pods?( .+)?$/gm)]
    .map(([, name = '']) => name.split('/').at(-1) ?? '')
    .sort();

/** Pod names in a plan; a plan lists Pods if other Pods of the workload do not restart. */
export const namedIn = (plan: string): string[] =>
  [...plan.matchAll(/, restarts its Pods? (.+)$/gm)]
    .flatMap(([, names = '']) => names.split(' and '))
    .sort();

/** Pods of a namespace: UID by name. */
export type Pods = ReadonlyMap<string, string>;

export async function podsIn(cluster: Cluster, namespace: string): Promise<Pods> {
  const text = await kubectl(cluster, ['get', 'pods', '-n', namespace, '-o', 'json']);
  const { items } = JSON.parse(text) as { items: KubernetesObject[] };
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid ?? '']));
}

const workloadOf = (pod: string): string => pod.replace(/(-[a-z0-9]+-[a-z0-9]{5}|-\d+)$/, '');

/** Names of the workloads that had Pods before and have other Pods now. */
export function restartsBetween(before: Pods, after: Pods): string[] {
  const present = new Set([...before.keys()].map(workloadOf));
  const fresh = [...after].filter(([name, uid]) => before.get(name) !== uid);
  const workloads = new Set(fresh.map(([name]) => workloadOf(name)));
  return [...workloads].filter((workload) => present.has(workload)).sort();
}

interface Instance {
  readonly name: string;
  readonly namespace: string;
  /** Host cluster with the Pods; defaults to the cluster with the Karmada. */
  readonly host?: Cluster;
}

/**
 * Patches a Karmada, waits until the change is complete, and verifies that exactly the planned Pods restarted.
 * @param change merge patch of the spec
 * @param done resolves when the change is complete; by default when the Karmada is Ready
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
