import { setTimeout as delay } from 'node:timers/promises';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { namespacedType } from '../../src/kubernetes/objects/resources.ts';

type ConfigMap = KubernetesObject & { readonly data?: { readonly key?: string } };

const configMaps = namespacedType('v1', 'ConfigMap', 'configmaps');
const namespace = 'default';
const INTERVAL_MS = 50;
/** Calls that may be pending. One that etcd dropped takes seven seconds to fail, and must not hold up the others. */
const MAX_PENDING = 40;

/**
 * Error of a write during a change of leader, after seven seconds. A member forwarded the write to a leader that etcd
 * then replaced, and etcd dropped it. Neither clients nor the operator can prevent that (docs/operate/upgrade.md).
 */
const DROPPED = /etcdserver: (request timed out|leader changed)/;

/**
 * Errors of writes at a member that leaves: those in progress while it stops, and, if it is the leader, those that it gets
 * while it transfers the leadership.
 */
const AT_LEAVING = [
  /raft: stopped|error reading from server|transport is closing/,
  /raft proposal dropped/,
];
/** Writes that one member ended for one of these reasons fail within this time, in milliseconds. */
const ENDED_WITHIN_MS = 500;

/** Observations of a client that starts 20 writes per second, pending ones or not, and reads each key back. */
export interface Written {
  /** Names of ConfigMaps whose creation was acknowledged. */
  readonly acknowledged: readonly string[];
  /** Acknowledged writes that a read did not return. */
  readonly lost: readonly string[];
  /** Failed calls. */
  readonly failures: readonly string[];
  /** Writes that etcd dropped in a change of leader. */
  readonly dropped: readonly string[];
  /** Longest time without an acknowledged write, in milliseconds. */
  readonly longestGapMs: number;
}

/**
 * Writes through the control plane while `work` runs, then reads all keys.
 * @param inside client of the control plane; a read without a resource version is linearizable
 * @param work gets a function that returns the number of acknowledged writes
 */
export async function writing(
  inside: Pick<KubernetesClient, 'create' | 'get' | 'list'>,
  prefix: string,
  work: (written: () => number) => Promise<unknown>,
): Promise<Written> {
  const acknowledged: string[] = [];
  const lost: string[] = [];
  const failures: string[] = [];
  const dropped: string[] = [];
  let longestGapMs = 0;
  let last = Date.now();
  let ended = false;
  const one = async (name: string): Promise<void> => {
    const data = { key: name };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
    await inside.create(object, { timeoutMs: 15_000 });
    acknowledged.push(name);
    longestGapMs = Math.max(longestGapMs, Date.now() - last);
    last = Date.now();
    const found = (await inside.get(configMaps, { namespace, name })) as ConfigMap;
    if (found.data?.key !== name) lost.push(name);
  };
  const attempt = (name: string): Promise<void> =>
    one(name).catch((error: unknown) => {
      const text = `${new Date().toISOString()} ${name}: ${String(error)}`;
      (DROPPED.test(text) ? dropped : failures).push(text);
    });
  const pending = new Set<Promise<void>>();
  const run = async (): Promise<void> => {
    for (let n = 0; !ended; n += 1) {
      if (pending.size >= MAX_PENDING) await Promise.race(pending);
      const call = attempt(`${prefix}-${String(n)}`).finally(() => pending.delete(call));
      pending.add(call);
      await delay(INTERVAL_MS);
    }
    await Promise.all(pending);
  };
  const running = run();
  await work(() => acknowledged.length).finally(() => (ended = true));
  await running;
  longestGapMs = Math.max(longestGapMs, Date.now() - last);
  lost.push(...(await readBack(inside, acknowledged)));
  return { acknowledged, lost, failures, dropped, longestGapMs };
}

/**
 * Reads keys that were acknowledged.
 * @returns the names of those that are missing, or have another value than the one that was written
 */
export async function readBack(
  inside: Pick<KubernetesClient, 'list'>,
  names: readonly string[],
): Promise<readonly string[]> {
  const { items } = await inside.list(configMaps, { namespace });
  const found = new Map(
    (items as readonly ConfigMap[]).map(({ metadata, data }) => [metadata.name, data?.key]),
  );
  return names.filter((name) => found.get(name) !== name);
}

/**
 * Returns the failures other than those of writes at members that left. How many writes are in progress depends on the load
 * of the machine, so they are counted by the member that ended them.
 * @param leaving number of members that may have ended writes
 */
export function unexplained(failures: readonly string[], leaving: number): readonly string[] {
  return AT_LEAVING.reduce((rest, error) => {
    const ended = rest.filter((text) => error.test(text));
    return momentsOf(ended) <= leaving ? rest.filter((text) => !error.test(text)) : rest;
  }, failures);
}

/** Returns the number of moments at which these writes failed. */
function momentsOf(failures: readonly string[]): number {
  const times = failures.map((text) => Date.parse(text.split(' ')[0] ?? '')).sort((a, b) => a - b);
  let [moments, first] = [0, -Infinity];
  for (const time of times)
    if (time - first > ENDED_WITHIN_MS) [moments, first] = [moments + 1, time];
  return moments;
}

/** Observations of the client in one line. */
export const summaryOf = ({ acknowledged, failures, dropped, longestGapMs }: Written): string =>
  `${String(acknowledged.length)} keys, longest gap ${String(longestGapMs)} ms, ${String(failures.length)} failed, ${String(dropped.length)} dropped`;
