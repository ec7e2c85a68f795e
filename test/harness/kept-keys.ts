import { setTimeout as delay } from 'node:timers/promises';
import type { Karmada } from '../../src/api/karmada.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { getObject } from './cluster.ts';
import { openControlPlane, type ControlPlane } from './control-plane.ts';
import { saysReady } from './is-ready.ts';

export interface KeptKeys {
  /** Names of ConfigMaps whose creation the control plane acknowledged. */
  readonly acknowledged: readonly string[];
  /** Each time a Karmada was Ready although its control plane did not return all acknowledged ConfigMaps. */
  readonly untrue: readonly string[];
}

/** Consecutive calls that may fail while the Karmada is still Ready, because the operator observes a lost Pod later. */
const PATIENCE = 2;
const INTERVAL_MS = 500;

/**
 * Creates ConfigMaps in a control plane and reads all of them back over a new connection each time, until `end` is
 * called. It retries while the control plane does not respond or its Karmada does not exist.
 */
export function watchKeptKeys(
  cluster: Cluster,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): { end(): Promise<KeptKeys> } {
  const acknowledged: string[] = [];
  const untrue: string[] = [];
  let plane: ControlPlane | undefined;
  let failures = 0;
  let ended = false;

  const isReady = async (): Promise<boolean> =>
    saysReady(await getObject<Karmada>(cluster, 'karmada', name, namespace));

  async function missing(): Promise<readonly string[] | undefined> {
    const list = ['get', 'configmaps', '-n', 'default', '-o', 'name', '--request-timeout=5s'];
    const { code, stdout } = (await plane?.tryKubectl(list)) ?? { code: 1, stdout: '' };
    if (code !== 0) return undefined;
    const found = new Set(stdout.split('\n').map((line) => line.replace('configmap/', '')));
    return acknowledged.filter((key) => !found.has(key));
  }

  async function sample(): Promise<void> {
    plane ??= await openControlPlane(cluster, name, namespace);
    const before = await isReady();
    const lacks = await missing();
    const wasReady = before && (await isReady());
    failures = lacks === undefined ? failures + 1 : 0;
    const at = new Date().toISOString();
    if (wasReady && failures > PATIENCE) untrue.push(`${at} no response`);
    if (wasReady && lacks !== undefined && lacks.length > 0)
      untrue.push(`${at} lacks ${lacks.join()}`);
    if (lacks === undefined) plane = undefined;
    else await write(`written-${String(acknowledged.length)}-${String(Date.now())}`);
  }

  async function write(key: string): Promise<void> {
    const create = ['create', 'configmap', key, '-n', 'default', '--request-timeout=5s'];
    const { code } = (await plane?.tryKubectl(create)) ?? { code: 1 };
    if (code === 0) acknowledged.push(key);
  }

  async function run(): Promise<void> {
    while (!ended) {
      // Without its Karmada and Secrets the control plane cannot be reached, so that sample proves nothing.
      await sample().catch(() => (plane = undefined));
      await delay(INTERVAL_MS);
    }
  }

  const running = run();
  return {
    async end() {
      ended = true;
      await running;
      return { acknowledged, untrue };
    },
  };
}
