import { setTimeout as delay } from 'node:timers/promises';
import type { Karmada } from '../../src/api/karmada.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { getObject } from './cluster.ts';
import { openControlPlane, type ControlPlane } from './control-plane.ts';
import { saysReady } from './says-ready.ts';

export interface KeptKeys {
  /** Names of ConfigMaps whose creation the control plane acknowledged. */
  readonly acknowledged: readonly string[];
  /** Each time a Karmada was Ready while its control plane did not show all of them. */
  readonly untrue: readonly string[];
}

/** Calls that in a row may fail while the Karmada is still Ready: the operator learns of a lost Pod a moment later. */
const PATIENCE = 2;
const INTERVAL_MS = 500;

/**
 * Writes ConfigMaps into a control plane, and reads all of them back over a new connection each time, until it is told to
 * end; while the control plane does not answer or its Karmada is gone, it goes on trying.
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
    if (wasReady && failures > PATIENCE) untrue.push(`${at} did not answer`);
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
      // Without its Karmada and its Secrets a control plane cannot be reached, nor can it be untrue.
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
