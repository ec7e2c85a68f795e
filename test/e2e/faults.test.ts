import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import { tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { poll } from '../cluster/poll.ts';
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

/** Installs with faults that are shared out, so that together they hit every call, and such with faults by chance. */
const shared = 36;
const byChance = 4;
const share = 0.1;

/** A client gives up a call after 10 to 60 seconds, and some calls can only follow each other. */
const patienceMs = 600_000;

const numbered = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const partTitle = (part: number): string =>
  `makes the same objects and keeps its authorities with part ${part} of ${shared} of all faults`;
const chanceTitle = (run: number): string =>
  `makes the same objects and keeps its authorities with faults on every tenth call, run ${run}`;

/** One of the numbers, all in a full run, with the titles of their cases. */
const titled = (numbers: readonly number[], titleOf: (one: number) => string): [string, number][] =>
  drawn('e2e/faults', numbers, 1, titleOf).map((one) => [titleOf(one), one]);

/** What is said of an install, without its times. */
function saidOf({ status }: Karmada): object {
  const { phase, secretRef, versions, etcd, conditions = [] } = status ?? {};
  const states = conditions.map(({ type, status: state, reason }) => `${type} ${state} ${reason}`);
  return { phase, secret: secretRef?.name, versions, etcd, conditions: states.sort() };
}

describeCluster('an operator whose calls meet faults', () => {
  let cluster: Cluster;
  let undisturbed: { readonly objects: object; readonly said: object };
  let rules: readonly (readonly Rule[])[];

  const installed: string[] = [];

  /** Every operator sees all Karmadas, so that there may be only one at a time. */
  async function remove(): Promise<void> {
    await tryKubectl(cluster, ['delete', 'karmada', '-A', '--all', '--timeout=180s']);
    for (const namespace of installed.splice(0))
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }

  /** What an earlier run left, such as the copy of its authorities. */
  async function discard(namespace: string): Promise<void> {
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=120s']);
  }

  async function install(plan: Plan): Promise<void> {
    const { namespace } = plan;
    installed.push(namespace);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await startFaultedOperator(cluster, plan);
    await apply(cluster, disturbedKarmada(namespace));
    await untilReady(cluster, name, namespace, patienceMs);
  }

  const said = async (namespace: string): Promise<object> =>
    saidOf(await getObject<Karmada>(cluster, 'karmada', name, namespace));

  /** Installs, and compares with the undisturbed install. @returns the calls and their faults */
  async function compare(plan: Plan): Promise<Decision[]> {
    const { namespace } = plan;
    await discard(namespace);
    const authorities = watchAuthorities(clientOf(cluster), namespace);
    try {
      await install(plan);
      expect(await endStateOf(cluster, name, namespace)).toEqual(undisturbed.objects);
      // A status that comes late may stand for a moment, until the operator sees it.
      await poll(`the status of ${namespace} is that of an undisturbed install`, async (seen) => {
        const found = await said(namespace);
        seen(JSON.stringify(found));
        return isDeepStrictEqual(found, undisturbed.said) ? true : undefined;
      });
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
      said: await said(namespace),
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

  it.each(titled(numbered(shared), partTitle))(
    '%s',
    async (_, part) => {
      const planned = rules[part] ?? [];
      const calls = await compare({ namespace: `faults-${part}`, rules: planned });
      const hit = new Set(calls.flatMap((call) => (call.fault ? [keyOf(call)] : [])));
      // How often something is asked for again differs from run to run.
      const missed = planned.filter((rule) => rule.occurrence === 1 && !hit.has(keyOf(rule)));
      expect(missed).toEqual([]);
    },
    patienceMs + 300_000,
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
    patienceMs + 300_000,
  );
});

const keyOf = ({ what, occurrence }: Pick<Rule, 'what' | 'occurrence'>): string =>
  `${what} ${occurrence}`;
