/**
 * The operator is killed at five points of an installation, on the embedded cluster and in a stub cluster: both must end with the
 * same objects. `integration/stubs/kills` has all points.
 *
 * @size large
 * @sample medium
 * @tier drawn
 * @job kills
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { changedAuthorities, watchAuthorities } from '../harness/authorities.ts';
import { clientOf } from '../harness/client.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { differing, type EndState } from '../harness/compare-states.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { disturbedKarmada, disturbedName as name } from '../harness/disturbed-install.ts';
import { installedObjects } from '../harness/end-state.ts';
import {
  startKilledOperator,
  stopKilledOperator,
  untilKilled,
  writesOf,
} from '../harness/killed-operator.ts';
import { normalised } from '../harness/normalize-objects.ts';
import { installOperator } from '../harness/operator.ts';
import { ownedState, type InstalledObjects } from '../harness/owned-state.ts';
import { drawn } from '../harness/sample.ts';
import {
  isOfStatus,
  killPoint,
  killsAt,
  numbered,
  type KillPoint,
} from '../stubs/kills/kill-points.ts';
import { runScenario, type Outcome, type Setting } from '../stubs/kills/run-scenario.ts';
import { INSTALL, NAMESPACE } from '../stubs/kills/scenario.ts';
import { Addresses } from '../stubs/network/addresses.ts';
import { buildOperator } from '../stubs/operator/build.ts';

const kills = 5;

const endStateOf = ({ host, inside }: InstalledObjects, namespace: string): EndState => ({
  host: normalised(host, namespace),
  inside: normalised(inside, namespace),
});

describeCluster('operator crash', () => {
  let cluster: Cluster;
  let stubs: Setting;
  let inStubs: Outcome;
  let undisturbed: EndState;
  /** Writes of an undisturbed installation, see `killPoint`. */
  let points: readonly string[];

  async function install(namespace: string, killAfter: number): Promise<InstalledObjects> {
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await startKilledOperator(cluster, killAfter, /^(?!.*\/status(\?|$))/);
    await apply(cluster, disturbedKarmada(namespace));
    if (Number.isFinite(killAfter)) await untilKilled(cluster);
    await untilReady(cluster, name, namespace);
    return installedObjects(cluster, name, namespace);
  }

  async function remove(namespace: string): Promise<void> {
    const found = await tryKubectl(cluster, ['get', 'karmada', name, '-n', namespace]);
    if (found.code === 0)
      await kubectl(cluster, ['delete', 'karmada', name, '-n', namespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }

  const titleOf = (index: number): string =>
    `creates the same objects as in a stub cluster and keeps its CAs when killed at point ${index} of ${kills} of an installation`;
  const moments = drawn(
    Array.from({ length: kills }, (_, index) => index),
    1,
    titleOf,
  );

  const namespaceOf = (index: number): string => `kill-${String(index).padStart(2, '0')}`;

  /** A write, spread evenly from the first to the last one. Status writes do not count: their number differs between runs. */
  function killAt(index: number): { readonly write: number; readonly point: KillPoint } {
    const stable = numbered(points.filter((point) => !isOfStatus(point)));
    const at = Math.round((index * (stable.length - 1)) / (kills - 1));
    return { write: at + 1, point: stable[at] ?? { point: '', occurrence: 1 } };
  }

  beforeAll(async () => {
    const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
    stubs = { addresses, build };
    inStubs = await runScenario(INSTALL, stubs);
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    const namespace = 'kill-none';
    await remove(namespace);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=120s']);
    undisturbed = endStateOf(await install(namespace, Infinity), namespace);
    points = (await writesOf(cluster)).map((write) => killPoint(write, namespace));
    await remove(namespace);
  }, 1_800_000);

  afterAll(async () => {
    stubs.addresses.release();
    await stubs.build.remove();
    await tryKubectl(cluster, ['delete', 'karmada', '-A', '--all', '--timeout=60s']);
    const all = ['kill-none', ...moments.map(namespaceOf)];
    await kubectl(cluster, ['delete', 'namespace', ...all, '--ignore-not-found', '--wait=false']);
    await stopKilledOperator(cluster);
    await installOperator(cluster);
  }, 240_000);

  it('makes no write that it does not make in a stub cluster', () => {
    const known = new Set(inStubs.points);
    expect(points.filter((point) => !known.has(point))).toEqual([]);
  });

  it.each(moments.map((index) => [titleOf(index), index] as const))(
    '%s',
    async (_, index) => {
      const namespace = namespaceOf(index);
      const { write, point } = killAt(index);
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=120s']);
      const authorities = watchAuthorities(clientOf(cluster), namespace);
      let objects: InstalledObjects;
      try {
        objects = await install(namespace, write);
      } finally {
        await authorities.stop();
      }
      expect(changedAuthorities(authorities)).toEqual([]);
      expect([...authorities.seen.keys()]).toContain(`${name}-cert ca.crt`);
      const [actual, expected] = differing(endStateOf(objects, namespace), undisturbed);
      expect(actual).toEqual(expected);
      await remove(namespace);

      const kills = killsAt(point, NAMESPACE);
      const inStub = await runScenario(INSTALL, stubs, kills);
      expect(inStub.killed).toBe(1);
      const [real, stub] = differing(
        ownedState(objects, namespace),
        ownedState(inStub.objects, NAMESPACE),
      );
      expect(real).toEqual(stub);
    },
    600_000,
  );
});
