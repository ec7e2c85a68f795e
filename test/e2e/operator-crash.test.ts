/**
 * @size large
 * @sample medium
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectl, tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { changedAuthorities, watchAuthorities } from '../harness/authorities.ts';
import { clientOf } from '../harness/client.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { disturbedKarmada, disturbedName as name } from '../harness/disturbed-install.ts';
import { endStateOf } from '../harness/end-state.ts';
import {
  startKilledOperator,
  stopKilledOperator,
  untilKilled,
  writesOf,
} from '../harness/killed-operator.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn } from '../harness/sample.ts';

const kills = 20;

describeCluster('operator crash', () => {
  let cluster: Cluster;
  let undisturbed: object;
  let writes: string[];

  async function install(namespace: string, killAfter: number): Promise<void> {
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await startKilledOperator(cluster, killAfter);
    await apply(cluster, disturbedKarmada(namespace));
    if (Number.isFinite(killAfter)) await untilKilled(cluster);
    await untilReady(cluster, name, namespace);
  }

  async function remove(namespace: string): Promise<void> {
    const found = await tryKubectl(cluster, ['get', 'karmada', name, '-n', namespace]);
    if (found.code === 0)
      await kubectl(cluster, ['delete', 'karmada', name, '-n', namespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }

  const titleOf = (index: number): string =>
    `creates the same objects and keeps its CAs when killed at point ${index} of ${kills} of an installation`;
  const moments = drawn(
    Array.from({ length: kills }, (_, index) => index),
    2,
    titleOf,
  );

  const namespaceOf = (index: number): string => `kill-${String(index).padStart(2, '0')}`;

  /** Number of writes after which the operator is killed, spread evenly from the first to the last write. */
  const moment = (index: number): number =>
    1 + Math.round((index * (writes.length - 1)) / (kills - 1));

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    const namespace = 'kill-none';
    await remove(namespace);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=120s']);
    await install(namespace, Infinity);
    // The number of status writes differs between runs, so they do not count.
    writes = (await writesOf(cluster)).filter((write) => !write.includes('/status?'));
    undisturbed = await endStateOf(cluster, name, namespace);
    await remove(namespace);
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '-A', '--all', '--timeout=60s']);
    const all = ['kill-none', ...moments.map(namespaceOf)];
    await kubectl(cluster, ['delete', 'namespace', ...all, '--ignore-not-found', '--wait=false']);
    await stopKilledOperator(cluster);
    await installOperator(cluster);
  }, 240_000);

  it.each(moments.map((index) => [titleOf(index), index] as const))(
    '%s',
    async (_, index) => {
      const namespace = namespaceOf(index);
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=120s']);
      const authorities = watchAuthorities(clientOf(cluster), namespace);
      try {
        await install(namespace, moment(index));
        expect(await endStateOf(cluster, name, namespace)).toEqual(undisturbed);
      } finally {
        await authorities.stop();
      }
      expect(changedAuthorities(authorities)).toEqual([]);
      expect([...authorities.seen.keys()]).toContain(`${name}-cert ca.crt`);
      await remove(namespace);
    },
    240_000,
  );
});
