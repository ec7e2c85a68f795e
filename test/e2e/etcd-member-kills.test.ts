/**
 * The operator is killed after one of its writes while an etcd grows to three members and shrinks to one again, under a client
 * that writes 20 keys per second. All cases share a control plane. `integration/stubs/data-kills` has all writes.
 *
 * @size large
 * @job kills
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { EtcdScene, VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import {
  startKilledOperator,
  stopKilledOperator,
  verifyKill,
  writesOf,
} from '../harness/killed-operator.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn } from '../harness/sample.ts';
import { killPoint } from '../stubs/kills/kill-points.ts';
import { runScenario } from '../stubs/kills/run-scenario.ts';
import { MEMBERS } from '../stubs/kills/scenario.ts';
import { Addresses } from '../stubs/network/addresses.ts';
import { buildOperator } from '../stubs/operator/build.ts';

/** Lower bound of the writes of two changes, with a margin. The log of a restarted operator has fewer. */
const FEWEST_WRITES = 28;
/** Writes after which the operator is killed, spread over the two changes. */
const writes = [1, 8, 15, 22, 28];

describeCluster('members of an etcd whose operator is killed', () => {
  let cluster: Cluster;
  let scene: EtcdScene;

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    scene = new EtcdScene(cluster, 'etcd-member-kills');
    await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
  }, 1_800_000);

  afterAll(async () => {
    await installOperator(cluster);
    await scene.end();
  }, 240_000);

  /** Changes the number of members to three and back to one. @param write after which the operator is killed */
  async function growAndShrink(write: number, after: () => Promise<void>): Promise<void> {
    await startKilledOperator(cluster, write);
    try {
      await scene.during(`killed-${Number.isFinite(write) ? String(write) : 'never'}`, async () => {
        await scene.change(3);
        await scene.change(1);
      });
      await after();
    } finally {
      await stopKilledOperator(cluster);
    }
    await scene.verify();
  }

  const titleOf = (write: number): string =>
    `grow to three and shrink to one when the operator is killed after its write ${String(write)}`;

  it.each(drawn(writes, 1, titleOf).map((write) => [titleOf(write), write] as const))(
    '%s',
    (_, write) => growAndShrink(write, () => verifyKill(cluster, write, FEWEST_WRITES)),
    600_000,
  );

  it('make no write that they do not make in a stub cluster', async () => {
    const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
    try {
      const known = new Set((await runScenario(MEMBERS, { addresses, build })).points);
      await growAndShrink(Infinity, async () => {
        const found = (await writesOf(cluster)).map((write) => killPoint(write, scene.namespace));
        expect(found.length).toBeGreaterThanOrEqual(FEWEST_WRITES);
        // A member that is to be removed is only sometimes the leader.
        const others = found.filter((point) => !known.has(point) && !point.endsWith('/MoveLeader'));
        expect(others).toEqual([]);
      });
    } finally {
      addresses.release();
      await build.remove();
    }
  }, 900_000);
});
