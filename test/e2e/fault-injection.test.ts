/**
 * Calls of installations meet faults. Four installations have a ninth of all faults that `shareOut` distributes, and one has random
 * faults; `integration/stubs/faults` has all.
 *
 * @size large
 * @sample medium
 * @tier drawn
 * @job kills
 */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import { tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { changedAuthorities, watchAuthorities } from '../harness/authorities.ts';
import { clientOf } from '../harness/client.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { disturbedKarmada, disturbedName as name } from '../harness/disturbed-install.ts';
import { endStateOf } from '../harness/end-state.ts';
import { shareOut } from '../harness/fault-proxy/assignment.ts';
import type { Decision, Plan, Rule } from '../harness/fault-proxy/faults.ts';
import { callsOf, startFaultedOperator, stopFaultedOperator } from '../harness/faulted-operator.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn, seed, seededRandom } from '../harness/sample.ts';

/** Number of installations that would together affect every request, and the parts of the faults that installations here meet. */
const shared = 36;
const parts = [0, 9, 18, 27];
/** Number of installations with random faults. */
const byChance = 1;
const share = 0.1;

/** Time limit of an installation. Requests time out after 10 to 60 seconds, and some depend on earlier ones. */
const readyTimeoutMs = 600_000;

const numbered = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const partTitle = (part: number): string =>
  `creates the same objects and keeps its CAs with part ${part} of ${shared} of all faults`;
const chanceTitle = (run: number): string =>
  `creates the same objects and keeps its CAs with faults on every tenth request, run ${run}`;

/** Returns one of the numbers, or all in a full run, each with the title of its test case. */
const titled = (numbers: readonly number[], titleOf: (one: number) => string): [string, number][] =>
  drawn(numbers, 1, titleOf).map((one) => [titleOf(one), one]);

/** Returns the status of a Karmada without timestamps. */
function comparableStatus({ status }: Karmada): object {
  const { phase, secretRef, versions, etcd, conditions = [] } = status ?? {};
  const states = conditions.map(({ type, status: state, reason }) => `${type} ${state} ${reason}`);
  return { phase, secret: secretRef?.name, versions, etcd, conditions: states.sort() };
}

describeCluster('operator with failing requests', () => {
  let cluster: Cluster;
  let undisturbed: { readonly objects: object; readonly reported: object };
  let rules: readonly (readonly Rule[])[];

  const installed: string[] = [];

  /** Deletes all Karmadas. The operator reconciles all Karmadas, so only one may exist at a time. */
  async function remove(): Promise<void> {
    await tryKubectl(cluster, ['delete', 'karmada', '-A', '--all', '--timeout=180s']);
    for (const namespace of installed.splice(0))
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }

  /** Deletes objects of an earlier run, such as its CA backup Secret. */
  async function discard(namespace: string): Promise<void> {
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=120s']);
  }

  async function install(plan: Plan): Promise<void> {
    const { namespace } = plan;
    installed.push(namespace);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await startFaultedOperator(cluster, plan);
    await apply(cluster, disturbedKarmada(namespace));
    await untilReady(cluster, name, namespace, readyTimeoutMs);
  }

  const reported = async (namespace: string): Promise<object> =>
    comparableStatus(await getObject<Karmada>(cluster, 'karmada', name, namespace));

  /** Installs a control plane and compares it with the undisturbed one. @returns the requests and their faults */
  async function compare(plan: Plan): Promise<Decision[]> {
    const { namespace } = plan;
    await discard(namespace);
    const authorities = watchAuthorities(clientOf(cluster), namespace);
    try {
      await install(plan);
      expect(await endStateOf(cluster, name, namespace)).toEqual(undisturbed.objects);
      // A delayed status write may replace a newer status until the operator corrects it.
      await poll(
        `the status in ${namespace} equals that of an undisturbed installation`,
        async (seen) => {
          const found = await reported(namespace);
          seen(JSON.stringify(found));
          return isDeepStrictEqual(found, undisturbed.reported) ? true : undefined;
        },
      );
    } finally {
      await authorities.stop();
    }
    expect(changedAuthorities(authorities)).toEqual([]);
    expect([...authorities.seen.keys()]).toContain(`${name}-cert ca.crt`);
    return callsOf(cluster);
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    await remove();
    const namespace = 'faults-none';
    await discard(namespace);
    await install({ namespace, rules: [] });
    undisturbed = {
      objects: await endStateOf(cluster, name, namespace),
      reported: await reported(namespace),
    };
    const calls = await callsOf(cluster);
    rules = shareOut(calls, shared, seed);
    await remove();
  }, 1_800_000);

  afterEach(remove, 240_000);

  afterAll(async () => {
    await remove();
    await stopFaultedOperator(cluster);
    await installOperator(cluster);
  }, 480_000);

  it.each(titled(parts, partTitle))(
    '%s',
    async (_, part) => {
      const planned = rules[part] ?? [];
      const calls = await compare({ namespace: `faults-${part}`, rules: planned });
      const hit = new Set(calls.flatMap((call) => (call.fault ? [keyOf(call)] : [])));
      // The number of retries differs between runs, and so do the reads, which depend on how far the caches are.
      const sent = new Set(calls.map(({ what }) => what));
      const isDue = ({ what, occurrence }: Rule): boolean =>
        occurrence === 1 && (sent.has(what) || !/ GET /.test(what));
      const missed = planned.filter((rule) => isDue(rule) && !hit.has(keyOf(rule)));
      expect(missed).toEqual([]);
    },
    readyTimeoutMs + 300_000,
  );

  it.each(titled(numbered(byChance), chanceTitle))(
    '%s',
    async (_, run) => {
      const random = seededRandom(seed + run);
      const numbers = Array.from({ length: 5_000 }, random);
      const chance = { share, numbers };
      const calls = await compare({ namespace: `faults-chance-${run}`, rules: [], chance });
      expect(calls.filter(({ fault }) => fault).length).toBeGreaterThan(10);
    },
    readyTimeoutMs + 300_000,
  );
});

const keyOf = ({ what, occurrence }: Pick<Rule, 'what' | 'occurrence'>): string =>
  `${what} ${occurrence}`;
